import * as z from 'zod/mini'

export const entityKinds = ['prompt', 'response', 'context'] as const
export const entityKind = z.enum(entityKinds)
export type EntityKind = z.infer<typeof entityKind>

/** How far a text is to be believed: written by a person, made by a model, seen in an artifact, judged. */
export const truthClasses = ['asserted', 'generated', 'observed', 'confirmed', 'refuted'] as const
export const truthClass = z.enum(truthClasses)
export type TruthClass = z.infer<typeof truthClass>

export const stateClasses = ['working', 'promoted', 'retracted'] as const
export const stateClass = z.enum(stateClasses)
export type StateClass = z.infer<typeof stateClass>

/** `flows-to` prompt → response, `continues` earlier → next prompt, `grounds` context → prompt, `promotes` response → context. */
export const edgeKinds = ['flows-to', 'continues', 'grounds', 'promotes'] as const
export const edgeKind = z.enum(edgeKinds)
export type EdgeKind = z.infer<typeof edgeKind>

export const verdicts = ['confirmed', 'refuted', 'needs_work'] as const
export const verdict = z.enum(verdicts)
export type Verdict = z.infer<typeof verdict>
