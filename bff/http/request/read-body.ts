import { bodyBytesMax } from '../../../shared/text.ts'
import { DomainError } from '../../domain/errors.ts'
import { jsonShapeFault } from './json-shape.ts'

/**
 * The JSON of a request's body; `undefined` where there is none. At most 1 MiB, whether its length is declared or
 * not, UTF-8, uncompressed, not too deep, and no name twice.
 *
 * @throws DomainError `body_too_large`, `unsupported_media_type`, or `invalid_request` about the body itself.
 */
export async function readJsonBody(request: Request, mediaTypes = 'application/json'): Promise<unknown> {
  const text = await readBodyText(request, (type) => jsonType.test(type), mediaTypes)
  if (text === undefined) return undefined
  const { value, fault } = readJson(text)
  if (fault !== null) throw bodyFault(fault)
  return value
}

/**
 * The text of a request's body; `undefined` where there is none, whatever its type. `mediaTypes` says in words what
 * `accepts` takes.
 *
 * @throws DomainError as `readJsonBody` does.
 */
export async function readBodyText(
  request: Request,
  accepts: (mediaType: string) => boolean,
  mediaTypes: string,
): Promise<string | undefined> {
  const bytes = await readBytes(request)
  if (bytes.byteLength === 0) return undefined
  refuseOtherMedia(request.headers, accepts, mediaTypes)
  return decode(bytes)
}

/** A JSON text, and what is wrong with it in words that follow its name; null where nothing is. */
export function readJson(text: string): { value: unknown; fault: string | null } {
  try {
    const value: unknown = JSON.parse(text)
    return { value, fault: jsonShapeFault(text) }
  } catch {
    return { value: undefined, fault: 'must be valid JSON' }
  }
}

const jsonType = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i

function refuseOtherMedia(
  headers: Headers,
  accepts: (mediaType: string) => boolean,
  mediaTypes: string,
): void {
  if (!accepts(headers.get('content-type') ?? '')) {
    throw new DomainError('unsupported_media_type', `Send the body as ${mediaTypes} in UTF-8.`)
  }
  if (!/^(identity)?$/i.test(headers.get('content-encoding') ?? '')) {
    throw new DomainError('unsupported_media_type', 'Send the body without a content encoding.')
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > bodyBytesMax) throw tooLarge()
  try {
    // Node holds a client to the length it declared; only an undeclared one has to be counted.
    return declared === null ? await readCounted(request) : new Uint8Array(await request.arrayBuffer())
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw new DomainError('invalid_request', 'The body broke off before its end.', {}, { cause: error })
  }
}

async function readCounted(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.byteLength
    if (length > bodyBytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw bodyFault('must be UTF-8')
  }
}

function bodyFault(message: string): DomainError {
  return new DomainError('invalid_request', `The body ${message}.`, { errors: [{ field: '', message }] })
}

function tooLarge(): DomainError {
  return new DomainError('body_too_large', `A body has at most ${bodyBytesMax} bytes.`)
}
