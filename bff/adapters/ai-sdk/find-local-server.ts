import { modelIds } from './model-ids.ts'
import { isRecord, parseJson } from './reply-body.ts'

/** All probes together; a server on loopback answers in a few ms or is not there. */
const probeMsDefault = 400
const bodyBytesMax = 1024 * 1024

export interface LocalServer {
  kind: 'ollama' | 'lm-studio' | 'llama.cpp'
  /** For chat completions, ends in `/v1`. */
  baseUrl: string
  /** What it offers, at least one; the first is a fair default. */
  models: readonly string[]
}

export interface FindLocalServerOptions {
  /** Where to look instead of the usual ports, without a path; null: do not look. */
  ollama?: string | null
  lmStudio?: string | null
  llamaCpp?: string | null
  probeMs?: number
}

/**
 * Looks for a model server on loopback, all places at once, and knows it by the shape of its answers rather than by its
 * port. Ollama wins over LM Studio, and that over llama.cpp. Null when none offers a model. Never throws.
 */
export async function findLocalServer(options: FindLocalServerOptions = {}): Promise<LocalServer | null> {
  // Makes Node load its fetch, which must not count as the servers' silence.
  new Headers()
  const signal = AbortSignal.timeout(options.probeMs ?? probeMsDefault)
  const { ollama, lmStudio, llamaCpp } = { ...usualOrigins, ...options }
  const found = await Promise.all([
    ollama === null ? null : findOllama(ollama, signal),
    lmStudio === null ? null : findLmStudio(lmStudio, signal),
    llamaCpp === null ? null : findLlamaCpp(llamaCpp, signal),
  ])
  return found.find((server) => server !== null && server.models.length > 0) ?? null
}

const usualOrigins = {
  ollama: 'http://127.0.0.1:11434',
  lmStudio: 'http://127.0.0.1:1234',
  llamaCpp: 'http://127.0.0.1:8080',
}

async function findOllama(origin: string, signal: AbortSignal): Promise<LocalServer | null> {
  const version = await getJson(`${origin}/api/version`, signal)
  if (!isRecord(version) || typeof version.version !== 'string') return null
  const models = modelIds(await getJson(`${origin}/api/tags`, signal))
  return models && { kind: 'ollama', baseUrl: `${origin}/v1`, models }
}

async function findLmStudio(origin: string, signal: AbortSignal): Promise<LocalServer | null> {
  const list = await getJson(`${origin}/v1/models`, signal)
  if (!isRecord(list) || list.object !== 'list' || !Array.isArray(list.data)) return null
  if (!list.data.every((item: unknown) => isRecord(item) && item.object === 'model')) return null
  const models = modelIds(list)
  return models && { kind: 'lm-studio', baseUrl: `${origin}/v1`, models }
}

async function findLlamaCpp(origin: string, signal: AbortSignal): Promise<LocalServer | null> {
  const [props, list] = await Promise.all([
    getJson(`${origin}/props`, signal),
    getJson(`${origin}/v1/models`, signal),
  ])
  if (!isRecord(props) || !isRecord(props.default_generation_settings)) return null
  const listed = modelIds(list) ?? []
  // It serves the model it was started with, under any name.
  const models = listed.length > 0 ? listed : [fileName(props.model_path) || 'default']
  return { kind: 'llama.cpp', baseUrl: `${origin}/v1`, models }
}

function fileName(path: unknown): string {
  return typeof path === 'string' ? (path.split(/[\\/]/).at(-1) ?? '') : ''
}

/** Parsed JSON of a 200, undefined for everything else. */
async function getJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { signal, redirect: 'error' })
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel()
      return undefined
    }
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body) {
      bytes += chunk.length
      if (bytes > bodyBytesMax) return undefined
      chunks.push(chunk)
    }
    return parseJson(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}
