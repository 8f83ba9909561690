import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort, serverUser } from './start-postgres.ts'

/** PgBouncer in transaction mode before a server, on a free loopback port. */
export interface RunningPooler {
  /** Of the same database, through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * @param settings more lines of its configuration.
 * @throws Error when no PgBouncer is installed, or when it does not listen within ten seconds.
 */
export async function startPooler(
  serverUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningPooler> {
  const program = findPooler()
  const server = new URL(serverUrl)
  const name = server.pathname.slice(1)
  const user = serverUser()
  const home = mkdtempSync(join(tmpdir(), 'mission-field-pooler-'))
  const port = await freePort()
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 3,
    logfile: join(home, 'log'),
    ...settings,
  }
  const file = join(home, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]\n${name} = host=${server.hostname} port=${server.port} user=${server.username}\n[pgbouncer]\n${Object.entries(
      lines,
    )
      .map(([key, value]) => `${key} = ${value}`)
      .join('\n')}\n`,
  )
  if (user) for (const path of [home, file]) chownSync(path, user.uid, user.gid)
  const running = spawn(program, ['-q', file], { ...user, cwd: home, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    running.kill('SIGKILL')
    await ended
    rmSync(home, { recursive: true, force: true })
  }
  for (let tries = 0; !(await accepts(port)); tries++) {
    if (tries === 100 || running.exitCode !== null) {
      await stop()
      throw new Error('PgBouncer did not come up')
    }
    await wait(100)
  }
  const url = new URL(serverUrl)
  url.port = String(port)
  return { url: url.href, stop }
}

function findPooler(): string {
  const folders = ['/usr/sbin', ...(process.env.PATH ?? '').split(delimiter)]
  const found = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))
  if (!found) throw new Error('No PgBouncer found; install pgbouncer')
  return found
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
