import { type ReactNode, useState } from 'react'
import type { SessionResponse } from '../../shared/observe.ts'
import { PracticeTag } from '../marks/practice-tag.tsx'
import { useComposeTarget } from '../session/compose-target-store.ts'
import { useSession } from '../sync/hooks.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import styles from './first-run.module.css'
import { Ripples } from './ripples.tsx'

/** Before the first prompt: what it is, and who will answer. Says only what holds for this very server. */
export function FirstRun() {
  const session = useSession()
  return (
    <section className={styles.first} aria-label="First steps">
      <Ripples />
      <div className={styles.words}>
        <h1>The water is still. Drop a prompt in.</h1>
        <p className={styles.lead}>
          It runs on the server, so you can close the tab, lose the network or shut the lid. The answer is
          here when you come back.
        </p>
        {session === undefined ? null : <Choices provider={session.provider} />}
      </div>
    </section>
  )
}

function Choices({ provider }: { provider: SessionResponse['provider'] }) {
  const focusBox = useComposeTarget((target) => target.focusBox)
  return (
    <div className={styles.choices}>
      {provider.practice ? null : (
        <Choice
          icon="check"
          head={provider.found ?? `Connected to ${providerWords(provider.id)}`}
          way={
            <Button variant="main" onClick={focusBox}>
              Use it
            </Button>
          }
        >
          {provider.model === null ? 'It answers what you send.' : `${provider.model} answers what you send.`}
        </Choice>
      )}
      <ConnectWithKey isConnected={!provider.practice} />
      <Choice
        icon="drop"
        head={provider.practice ? 'Try it without a model' : 'Or practise without a model'}
        way={
          <Button variant={provider.practice ? 'main' : 'line'} onClick={focusBox}>
            Practise
          </Button>
        }
      >
        The practice provider answers with plainly artificial text, and can play slow, flaky and failing:
        choose how in the box below. Every answer is marked <PracticeTag />
      </Choice>
    </div>
  )
}

const settings = 'OPENAI_API_KEY=…'
const address = 'OPENAI_BASE_URL=https://…/v1'
const model = 'MISSION_MODEL=…'

function ConnectWithKey({ isConnected }: { isConnected: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Choice
        icon="key"
        head={isConnected ? 'Connect another model' : 'Connect a model with a key'}
        way={
          <Button variant="line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show how'}
          </Button>
        }
      >
        OpenAI, or any address that speaks like it: Ollama, LM Studio, llama.cpp, vLLM, OpenRouter. The key
        stays on the server.
      </Choice>
      {isOpen ? (
        <div className={styles.how}>
          <p>Stop the server, set what you have in its environment, and start it again:</p>
          <dl>
            <Setting name={settings}>the key; nothing else is needed for OpenAI</Setting>
            <Setting name={address}>another address, with its /v1; a local one needs no key</Setting>
            <Setting name={model}>which model answers, if not the first on offer</Setting>
          </dl>
          <p>A server on this machine, such as Ollama, is found by itself when the server starts.</p>
        </div>
      ) : null}
    </>
  )
}

function Setting({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>
        <code>{name}</code>
        <CopyButton text={() => name.slice(0, name.indexOf('=') + 1)} />
      </dt>
      <dd>{children}</dd>
    </div>
  )
}

function Choice({
  icon,
  head,
  way,
  children,
}: {
  icon: IconName
  head: string
  way: ReactNode
  children: ReactNode
}) {
  return (
    <div className={styles.choice}>
      <Icon name={icon} />
      <div className={styles.text}>
        <h2>{head}</h2>
        <p>{children}</p>
      </div>
      {way}
    </div>
  )
}

function providerWords(id: string): string {
  return id === 'openai' ? 'OpenAI' : id === 'openai-compatible' ? 'the address you set' : id
}
