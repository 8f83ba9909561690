import { create } from 'zustand'
import type { Budget } from '../../shared/job.ts'
import type { ModelsResponse } from '../../shared/observe.ts'
import type { SubmitOptions } from '../../shared/submit.ts'

export const urgencies = ['high', 'normal', 'low'] as const
export type Urgency = (typeof urgencies)[number]
/** A smaller figure runs sooner. */
const priorityOf: Readonly<Record<Exclude<Urgency, 'normal'>, number>> = { high: 20, low: 80 }

export const lengths = ['quick', 'medium', 'unknown'] as const satisfies readonly Budget[]
export type Length = (typeof lengths)[number]

type Offer = ModelsResponse['default']

export interface ComposeOptions {
  /** `provider model`; null: whatever the server takes by default. */
  readonly model: string | null
  readonly urgency: Urgency
  readonly length: Length
}

export interface ComposeOptionsStore extends ComposeOptions {
  choose(options: Partial<ComposeOptions>): void
}

/** What was chosen for the prompts to come. It stays until it is changed: the bar shows it. */
export const useComposeOptions = create<ComposeOptionsStore>()((set) => ({
  model: null,
  urgency: 'normal',
  length: 'unknown',
  choose: (options) => set(options),
}))

export function offerKey({ provider, model }: Pick<Offer, 'provider' | 'model'>): string {
  return `${provider} ${model}`
}

/** The offer that a choice names; the default where nothing was chosen, or where it is no longer on offer. */
export function chosenOffer(models: ModelsResponse | undefined, choice: string | null): Offer | undefined {
  return models?.models.find((offer) => offerKey(offer) === choice) ?? models?.default
}

/** What the choices ask of the server; undefined where all is as usual. */
export function submitOptionsOf(
  { model, urgency, length }: ComposeOptions,
  models: ModelsResponse | undefined,
): SubmitOptions | undefined {
  const offer = chosenOffer(models, model)
  const isDefault =
    offer === undefined || models === undefined || offerKey(offer) === offerKey(models.default)
  const options: SubmitOptions = {
    ...(isDefault ? {} : { model: offer.model, prefer_provider: offer.provider }),
    ...(urgency === 'normal' ? {} : { priority: priorityOf[urgency] }),
    ...(length === 'unknown' ? {} : { budget: length }),
  }
  return Object.keys(options).length === 0 ? undefined : options
}
