import type { Signal, SignalTopic } from '../../domain/signals.ts'

type SignalOf<Topic extends SignalTopic> = Extract<Signal, { topic: Topic }>

/** Tells the parts of one process what was committed. */
export interface Signals {
  /** Calls every listener of each distinct signal, in order, before it returns. */
  publish(signals: readonly Signal[]): void
  /** @returns a function that ends the subscription. */
  subscribe<Topic extends SignalTopic>(topic: Topic, listener: (signal: SignalOf<Topic>) => void): () => void
}

/**
 * A listener that throws harms neither the others nor the publisher, whose transaction is committed by then;
 * its error goes to `onListenerError`.
 */
export function createSignals(onListenerError: (error: unknown) => void = reportUncaught): Signals {
  const listeners = new Map<SignalTopic, Set<(signal: Signal) => void>>()

  return {
    publish(signals) {
      for (const signal of distinctSignals(signals)) {
        for (const listener of [...(listeners.get(signal.topic) ?? [])]) {
          try {
            listener(signal)
          } catch (error) {
            onListenerError(error)
          }
        }
      }
    },

    subscribe(topic, listener) {
      const ofTopic = listeners.get(topic) ?? new Set()
      listeners.set(topic, ofTopic)
      // A new function each time: the same listener may subscribe twice and leave once.
      const entry = (signal: Signal): void => {
        if (hasTopic(signal, topic)) listener(signal)
      }
      ofTopic.add(entry)
      return () => {
        ofTopic.delete(entry)
      }
    },
  }
}

/** Signals without repetition, each at the place where it first stood; no move of a job repeats another. */
export function distinctSignals(signals: readonly Signal[]): Signal[] {
  const byKey = new Map<string, Signal>()
  for (const [index, signal] of signals.entries()) {
    const key = keyOf(signal, index)
    if (!byKey.has(key)) byKey.set(key, signal)
  }
  return [...byKey.values()]
}

function keyOf(signal: Signal, index: number): string {
  if (signal.topic === 'job-cancelled') return `${signal.topic} ${signal.jobId}`
  if (signal.topic === 'job-queued') return `${signal.topic} ${signal.dueAt}`
  return signal.topic === 'job-moved' ? `${signal.topic} ${index}` : signal.topic
}

function hasTopic<Topic extends SignalTopic>(signal: Signal, topic: Topic): signal is SignalOf<Topic> {
  return signal.topic === topic
}

/** As if the listener had thrown from a callback of its own: loud, and outside the publisher's stack. */
function reportUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
