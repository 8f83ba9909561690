/** The keys of the query cache. One query per prompt, and none that holds all views (the figures are in the ADR). */
export const queryKeys = {
  prompt: (promptId: string) => ['prompt', promptId] as const,
  detail: (promptId: string) => ['detail', promptId] as const,
  thread: (threadId: string) => ['thread', threadId] as const,
  session: ['session'] as const,
  models: ['models'] as const,
}
