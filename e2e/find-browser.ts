import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from '@playwright/test'

/**
 * The path of the Chromium to drive: the one that `MISSION_CHROMIUM` names, else Playwright's own, else one that is
 * installed. `npm test` installs one where there is none.
 *
 * @throws Error one line that says what to do, when there is none.
 */
export function findBrowser(): string {
  const named = process.env.MISSION_CHROMIUM
  if (named) return named
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const installed = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const found = [chromium.executablePath(), ...installed].find(isProgram)
  if (found === undefined) throw new Error('No Chromium: install one, or name it in MISSION_CHROMIUM.')
  return found
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
