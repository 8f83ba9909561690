import { createServer } from 'node:net'

/** Below the range that systems give to outgoing connections, where a client's own socket could take it meanwhile. */
const portMin = 15_000
const portMax = 30_000

/** A port of loopback that nobody listens on, for a server that has to come back to the same one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin))
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
