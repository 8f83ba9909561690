import { expect, it } from 'vitest'
import type { ModelsResponse } from '../../shared/observe.ts'
import { type ComposeOptions, chosenOffer, submitOptionsOf } from './compose-options.ts'

const usual: ComposeOptions = { model: null, urgency: 'normal', length: 'unknown' }
const offer = (provider: string, model: string) => ({ provider, model, practice: false, label: model })
const models: ModelsResponse = {
  default: offer('ollama', 'llama3.2'),
  models: [offer('ollama', 'llama3.2'), offer('ollama', 'qwen2.5'), offer('practice', 'practice-slow')],
}

it('nothing changed asks for nothing', () => {
  expect(submitOptionsOf(usual, models)).toBeUndefined()
  expect(submitOptionsOf({ ...usual, model: 'ollama llama3.2' }, models)).toBeUndefined()
})

it('a chosen model names its provider too, for two may offer the same name', () => {
  expect(submitOptionsOf({ ...usual, model: 'practice practice-slow' }, models)).toEqual({
    model: 'practice-slow',
    prefer_provider: 'practice',
  })
})

it('high runs before normal, low after it', () => {
  const high = submitOptionsOf({ ...usual, urgency: 'high' }, models)?.priority ?? 50
  const low = submitOptionsOf({ ...usual, urgency: 'low' }, models)?.priority ?? 50
  expect(high).toBeLessThan(50)
  expect(low).toBeGreaterThan(50)
})

it('a model that is no longer on offer gives way to the default', () => {
  expect(chosenOffer(models, 'ollama gone')?.model).toBe('llama3.2')
  expect(submitOptionsOf({ ...usual, model: 'ollama gone', length: 'quick' }, models)).toEqual({
    budget: 'quick',
  })
})
