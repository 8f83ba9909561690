import { connect } from 'node:net'
import { endpoints } from '../../shared/api.ts'
import { urlOf } from '../../shared/endpoint.ts'
import type { SubmitRequest } from '../../shared/submit.ts'
import type { MissionApi } from './mission-api.ts'

/** Where a client's connection breaks: with half the body sent, once all is sent, or when the answer begins. */
export type CutAt = 'half the body' | 'the whole body' | 'the first byte of the answer'

/** Submits over a bare socket and destroys it there. Resolves once it is closed. */
export function cutSubmit(api: MissionApi, request: SubmitRequest, cutAt: CutAt): Promise<void> {
  const { hostname, port } = new URL(api.url)
  const body = JSON.stringify(request)
  const head = [
    `POST ${urlOf(endpoints.submitPrompt)} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Cookie: ${api.cookie}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ].join('\r\n')
  const sent = cutAt === 'half the body' ? body.slice(0, body.length / 2) : body
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.setTimeout(30_000, () => socket.destroy(new Error('the server never answered')))
    socket.once('close', (hadError) => (hadError ? undefined : resolve()))
    socket.once('error', reject)
    socket.once('data', () => socket.destroy())
    socket.once('connect', () => {
      socket.write(`${head}\r\n\r\n${sent}`, () => {
        if (cutAt !== 'the first byte of the answer') socket.destroy()
      })
    })
  })
}
