import { bodyBytesMax } from '../../../shared/text.ts'
import { DomainError } from '../../domain/errors.ts'
import { jsonShapeFault } from './json-shape.ts'

/**
 * The JSON of a request's body; `undefined` where there is none. At most 1 MiB, whether its length is declared or
 * not, UTF-8, uncompressed, not too deep, and no name twice.
 *
 * @throws DomainError `body_too_large`, `unsupported_media_type`, or `invalid_request` about the body itself.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const bytes = await readBytes(request)
  if (bytes.byteLength === 0) return undefined
  refuseOtherMedia(request.headers)
  const text = decode(bytes)
  const value = parse(text)
  const fault = jsonShapeFault(text)
  if (fault !== null) throw bodyFault(fault)
  return value
}

const jsonType = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i

function refuseOtherMedia(headers: Headers): void {
  if (!jsonType.test(headers.get('content-type') ?? '')) {
    throw new DomainError('unsupported_media_type', 'Send the body as application/json in UTF-8.')
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw bodyFault('must be valid JSON')
  }
}

function bodyFault(message: string): DomainError {
  return new DomainError('invalid_request', `The body ${message}.`, { errors: [{ field: '', message }] })
}

function tooLarge(): DomainError {
  return new DomainError('body_too_large', `A body has at most ${bodyBytesMax} bytes.`)
}
