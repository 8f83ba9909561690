import { expect, test } from 'vitest'
import type { Signal } from '../../domain/signals.ts'
import { createSignals } from './signals.ts'

function setup() {
  const errors: unknown[] = []
  const signals = createSignals((error) => errors.push(error))
  const heard: Signal[] = []
  const hear = (signal: Signal): void => {
    heard.push(signal)
  }
  return { signals, errors, heard, hear }
}

test('a listener hears its topic only, and each distinct signal once', () => {
  const { signals, heard, hear } = setup()
  signals.subscribe('job-cancelled', hear)
  signals.publish([
    { topic: 'job-queued' },
    { topic: 'job-cancelled', jobId: 'a' },
    { topic: 'job-cancelled', jobId: 'b' },
    { topic: 'job-cancelled', jobId: 'a' },
  ])
  expect(heard).toEqual([
    { topic: 'job-cancelled', jobId: 'a' },
    { topic: 'job-cancelled', jobId: 'b' },
  ])
})

test('a listener that throws breaks neither the others nor the publisher', () => {
  const { signals, errors, heard, hear } = setup()
  const failure = new Error('of the listener')
  signals.subscribe('events', () => {
    throw failure
  })
  signals.subscribe('events', hear)
  signals.publish([{ topic: 'events' }])
  expect(heard).toEqual([{ topic: 'events' }])
  expect(errors).toEqual([failure])
})

test('who unsubscribes hears nothing more, and a second subscription of the same function stays', () => {
  const { signals, heard, hear } = setup()
  const leave = signals.subscribe('events', hear)
  signals.subscribe('events', hear)
  leave()
  leave()
  signals.publish([{ topic: 'events' }])
  expect(heard).toHaveLength(1)
})

test('a listener that leaves while it listens does not make another miss the signal', () => {
  const { signals, heard, hear } = setup()
  const leave = signals.subscribe('deadlines', () => leave())
  signals.subscribe('deadlines', hear)
  signals.publish([{ topic: 'deadlines' }])
  expect(heard).toHaveLength(1)
})
