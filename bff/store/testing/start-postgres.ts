import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

export type StopMode = 'fast' | 'immediate'

/** A PostgreSQL server of its own, in a temporary folder and on a free loopback port. */
export interface RunningPostgres {
  /** Of the database `mission_test`; its user is a superuser without a password. */
  readonly url: string
  /** Of the server's first process; another one after `restart`. */
  readonly pid: number
  /** Ends it at once and starts it again on the same port; `immediate` is as good as a crash. */
  restart(mode?: StopMode): Promise<void>
  /** Ends it and removes its files. */
  stop(): Promise<void>
}

export interface StartPostgresOptions {
  /** Off, because these clusters need not survive the machine. */
  fsync?: boolean
  /** More of the server's settings, `synchronous_commit: 'off'` for example. */
  settings?: Readonly<Record<string, string>>
}

/** @throws Error when no PostgreSQL is installed, or when it does not come up within half a minute. */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<RunningPostgres> {
  const programs = findPostgres()
  if (!programs) throw new Error('No PostgreSQL server programs (initdb, pg_ctl) found; install postgresql')
  const user = serverUser()
  const home = mkdtempSync(join(tmpdir(), 'mission-field-postgres-'))
  if (user) chownSync(home, user.uid, user.gid)
  const data = join(home, 'data')
  const run = (program: string, args: string[]): Promise<unknown> =>
    execute(join(programs, program), args, { ...user, cwd: home, timeout: stepMs })

  const start = async (port: number): Promise<void> => {
    const flags = `-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c fsync=${options.fsync ? 'on' : 'off'}`
    const more = Object.entries(options.settings ?? {}).map(([name, value]) => ` -c ${name}=${value}`)
    const log = join(home, 'log')
    try {
      await run('pg_ctl', [
        'start',
        '-w',
        '-t',
        '25',
        '-D',
        data,
        '-l',
        log,
        '-o',
        `${flags} -c max_connections=200${more.join('')}`,
      ])
    } catch (error) {
      throw new Error(`PostgreSQL did not start: ${existsSync(log) ? readFileSync(log, 'utf8') : ''}`, {
        cause: error,
      })
    }
  }
  const end = (mode: StopMode): Promise<unknown> =>
    run('pg_ctl', ['stop', '-w', '-t', '25', '-m', mode, '-D', data])
  const remove = (): void => rmSync(home, { recursive: true, force: true })

  try {
    await run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'])
    const port = await freePort()
    await start(port)
    await run('createdb', ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', 'mission_test'])
    let stopped: Promise<void> | undefined
    return {
      url: `postgres://postgres@127.0.0.1:${port}/mission_test`,
      get pid() {
        return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
      },
      async restart(mode = 'fast') {
        await end(mode)
        await start(port)
      },
      stop() {
        stopped ??= end('immediate').then(remove)
        return stopped
      },
    }
  } catch (error) {
    await end('immediate').catch(() => {})
    remove()
    throw error
  }
}

const execute = promisify(execFile)
const stepMs = 30_000

/** The newest of Debian's folders, else whatever is on the PATH; null when there is none. */
export function findPostgres(): string | null {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ]
  return (
    folders.find((folder) => ['initdb', 'pg_ctl'].every((name) => existsSync(join(folder, name)))) ?? null
  )
}

/** PostgreSQL refuses to run as root; then it runs as the user that its package made, else as nobody. */
export function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  for (const name of ['postgres', 'nobody']) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`))
    const [, , uid, gid] = line?.split(':') ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody to run it as')
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/**
 * `node --import tsx bff/store/testing/start-postgres.ts` prints `{ "url": … }` on one line and runs until SIGTERM,
 * SIGINT or the end of its standard input, so that it cannot outlive who started it.
 */
async function main(): Promise<void> {
  const server = await startPostgres()
  const stop = (): void => {
    void server.stop().finally(() => process.exit(0))
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  process.stdin.on('end', stop).on('error', stop).resume()
  process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  })
}
