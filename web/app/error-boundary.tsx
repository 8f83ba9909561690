import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import styles from './error-boundary.module.css'

interface Props {
  /** What could not be drawn, as in *The list could not be drawn*. */
  readonly what: string
  /** A change of this, such as another prompt, is reason enough to try again. */
  readonly resetKey?: string | null
  readonly children: ReactNode
}

interface State {
  readonly isBroken: boolean
  readonly said: string
  readonly resetKey: string | null | undefined
}

/** Keeps a part of the page that throws from taking the rest with it, and says so in words. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { isBroken: false, said: '', resetKey: this.props.resetKey }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { isBroken: true, said: wordsOf(error) }
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { isBroken: false, said: '', resetKey }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(`${this.props.what} could not be drawn`, error, info.componentStack)
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children
    return (
      <div className={styles.broken} role="alert">
        <h2>{this.props.what} could not be drawn</h2>
        <p>
          Your prompts are safe: they run on the server, and what you typed is kept here.
          {this.state.said === '' ? null : ` The browser says: ${this.state.said}`}
        </p>
        <div className={styles.ways}>
          <Button variant="main" icon="retry" onClick={() => this.setState({ isBroken: false, said: '' })}>
            Try again
          </Button>
          <Button variant="line" onClick={() => location.reload()}>
            Reload the page
          </Button>
        </div>
      </div>
    )
  }
}

/** Anything can be thrown; only words are shown. */
export function wordsOf(error: unknown): string {
  const words = error instanceof Error ? error.message : typeof error === 'string' ? error : ''
  const trimmed = words.trim()
  return trimmed === '' || trimmed === 'undefined' ? '' : `“${trimmed.slice(0, 300)}”`
}
