let loading: ReturnType<typeof importAll> | undefined

/** The AI SDK, loaded once and only where a model is configured: it takes longer than the rest of the server to load. */
export function loadSdk(): ReturnType<typeof importAll> {
  loading ??= importAll()
  return loading
}

async function importAll() {
  const [{ streamText }, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ])
  return { streamText, createOpenAICompatible }
}
