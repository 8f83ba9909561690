import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { signIn } from '../testing/browser-session.ts'
import { missionIn } from '../testing/mission-process.ts'

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 400_000
const secret = 'Xylophone quartz'

/** A collector of traces on loopback; `bodies` is what arrived. */
async function collector(): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString())
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on no port')
  return { url: `http://127.0.0.1:${address.port}`, bodies }
}

test(
  'a run is a line for each move, a count in the metrics, and a trace that is sent before the end',
  async () => {
    const { url, bodies } = await collector()
    const mission = missionIn({ OTEL_EXPORTER_OTLP_ENDPOINT: url, MISSION_DRAIN_MS: '8000' })
    const server = await mission.serve()
    const browser = await signIn(server.loginUrl)
    const { prompt_id, job_id } = await browser.submit(secret, 'practice-fast')
    await browser.until(prompt_id, ({ state }) => state === 'succeeded')
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toMatch(
      /^mission_job_transitions_total\{from="running",to="succeeded",error_kind="none"\} 1$/m,
    )
    expect(metrics).toMatch(/^mission_provider_calls_total\{provider="practice",outcome="answered"\} 1$/m)

    server.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    const sent = bodies.join('\n')
    expect(sent).toContain('"model.call"')
    expect(sent).toContain(job_id)
    const log = readFileSync(join(mission.dataDir, 'log/mission.ndjson'), 'utf8')
    const lines = log
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line))
    expect(lines.filter((line) => line.job_id === job_id).map((line) => line.msg)).toEqual([
      'job queued',
      'job running',
      'job succeeded',
    ])
    for (const told of [metrics, sent, log]) expect(told).not.toContain('Xylophone')
  },
  testMs,
)

test(
  'a collector that is not there costs nothing but a line',
  async () => {
    const mission = missionIn({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      MISSION_DRAIN_MS: '8000',
    })
    const server = await mission.serve()
    const browser = await signIn(server.loginUrl)
    const { prompt_id } = await browser.submit('Hello', 'practice-fast')
    await browser.until(prompt_id, ({ state }) => state === 'succeeded')
    const askedAt = Date.now()
    server.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    expect(Date.now() - askedAt).toBeLessThan(8_000)
  },
  testMs,
)
