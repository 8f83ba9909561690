import type { ModelsResponse } from '../../shared/observe.ts'
import type { SubmitOptions } from '../../shared/submit.ts'
import { invalidField } from '../domain/errors.ts'
import type { ModelProvider } from '../domain/ports.ts'

/** The providers that this server was given; the order of DESIGN §7 decided which is the default. */
export interface Providers {
  default(): { provider: ModelProvider; model: string }
  list(): readonly ModelProvider[]
  byId(id: string): ModelProvider | undefined
  /** Words on what was found without being configured, such as "Ollama on this machine"; null when nothing was. */
  found: string | null
}

export interface Choice {
  provider: ModelProvider
  model: string
}

/**
 * Who is to answer a prompt: the provider and model it names, else the provider that offers the named model, else the
 * default. @throws DomainError `invalid_request` for a provider that is not there.
 */
export function chooseModel(providers: Providers, options: SubmitOptions): Choice {
  const preferred = options.prefer_provider
  if (preferred !== undefined) {
    const provider = providers.byId(preferred)
    if (!provider) throw invalidField('options.prefer_provider', 'names no provider of this server')
    return { provider, model: options.model ?? provider.defaultModel }
  }
  const fallback = providers.default()
  if (options.model === undefined) return fallback
  const offering = providers.list().find((provider) => provider.models().includes(options.model ?? ''))
  return { provider: offering ?? fallback.provider, model: options.model }
}

/** Who serves a claimed job: what was chosen at enqueue, or the default if that provider is no longer there. */
export function providerOfJob(
  providers: Providers,
  job: { provider: string | null; model: string | null },
): Choice {
  const provider = job.provider === null ? undefined : providers.byId(job.provider)
  return provider ? { provider, model: job.model ?? provider.defaultModel } : providers.default()
}

/** What the compose bar offers. */
export function offeredModels(providers: Providers): ModelsResponse {
  const offer = (provider: ModelProvider, model: string) => ({
    provider: provider.id,
    model,
    practice: provider.practice,
    label: model,
  })
  const { provider, model } = providers.default()
  return {
    default: offer(provider, model),
    models: providers.list().flatMap((each) => each.models().map((name) => offer(each, name))),
  }
}
