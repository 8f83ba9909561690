import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'

/** The folder that holds package.json: this file lies at another depth in `dist/` than in the sources. */
export const productFolder = findProductFolder(dirname(fileURLToPath(import.meta.url)))

/** As package.json says it. */
export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(productFolder, 'package.json'), 'utf8'))).version

function findProductFolder(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) throw new Error(`no package.json above ${start}`)
  }
}
