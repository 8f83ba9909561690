/** After `tsc`: puts beside the built server what it reads there and the compiler does not make. */
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'

const root = new URL('..', import.meta.url)
const assets = ['bff/store/migrations', 'bff/store/database/pglite/initialise-directory.mjs']
const pathOf = (relative) => fileURLToPath(new URL(relative, root))

for (const asset of assets) {
  const target = pathOf(`dist/${asset}`)
  rmSync(target, { recursive: true, force: true }) // a migration that is gone from the sources must not be applied
  cpSync(pathOf(asset), target, { recursive: true })
}

// initdb takes seconds and much memory: done here once, a first start only unpacks its result.
const pglite = await PGlite.create()
const dump = await pglite.dumpDataDir('gzip')
await pglite.close()
writeFileSync(pathOf('dist/bff/store/empty-cluster.tar.gz'), new Uint8Array(await dump.arrayBuffer()))
