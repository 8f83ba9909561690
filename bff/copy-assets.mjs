/** After `tsc`: copies what the built server reads beside its files and the compiler leaves behind. */
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('..', import.meta.url)
const folders = ['bff/store/migrations']

for (const folder of folders) {
  const target = fileURLToPath(new URL(`dist/${folder}`, root))
  rmSync(target, { recursive: true, force: true }) // a migration that is gone from the sources must not be applied
  cpSync(fileURLToPath(new URL(folder, root)), target, { recursive: true })
}
