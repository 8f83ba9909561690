import type { MissionProcess } from './mission-process.ts'

/** A `mission serve --no-worker` that we are signed in to. */
export interface MissionServer {
  readonly process: MissionProcess
  /** One request with our session. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** @throws Error when it ends before it is ready, or refuses its own link. */
export async function startServer(
  begin: (args: readonly string[]) => MissionProcess,
): Promise<MissionServer> {
  const process = begin(['serve', '--no-worker'])
  const line = await process.ready
  if (line === null) throw new Error(`a server did not start: ${(await process.ended).stderr.trim()}`)
  const { url, login_url }: { url: string; login_url: string } = JSON.parse(line)
  const login = await fetch(login_url, { redirect: 'manual' })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0]
  if (!cookie) throw new Error(`a server did not let us in: ${login.status}`)
  return {
    process,
    fetch: (path, init = {}) =>
      fetch(`${url}${path}`, {
        ...init,
        headers: { cookie, ...Object.fromEntries(new Headers(init.headers)) },
      }),
  }
}
