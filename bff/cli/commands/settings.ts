import type { Command } from 'commander'
import { type Config, fileKeyOf, readConfig } from '../config.ts'
import { settingsTable } from '../settings/settings-table.ts'
import { type Column, print, printJson, tableText } from '../terminal/output.ts'
import { addVerb } from '../terminal/verb.ts'

interface SettingRow {
  name: string
  file_key: string | null
  value: unknown
  source: string
  default: string
  meaning: string
}

export function addSettings(program: Command): void {
  addVerb(program, 'settings', 'List every setting: its value, where that comes from, what it means.').action(
    listSettings,
  )
}

function listSettings({ json }: { json?: boolean }): void {
  const config = readConfig()
  const rows = settingRows(config)
  if (json) {
    printJson({ file: config.configFile, settings: rows })
    return
  }
  print(tableText(columns, rows))
  print(`\nSettings file: ${config.configFile ?? 'none'}`)
}

/** Every setting with its value in force; secrets are said to be set, never shown. */
export function settingRows(config: Config): SettingRow[] {
  const values = new Map<string, unknown>(Object.entries(config))
  const sources = new Map<string, string>(Object.entries(config.sources))
  return Object.entries(settingsTable).map(([key, setting]) => {
    const value = values.get(key) ?? null
    return {
      name: setting.name,
      file_key: setting.environmentOnly ? null : fileKeyOf(setting),
      value: setting.secret && value !== null ? '(set)' : value,
      source: sources.get(key) ?? 'default',
      default: setting.defaultText,
      meaning: setting.meaning,
    }
  })
}

const columns: Column<SettingRow>[] = [
  { heading: 'NAME', of: (row) => row.name },
  { heading: 'VALUE', of: (row) => valueText(row.value) },
  { heading: 'FROM', of: (row) => row.source },
  { heading: 'DEFAULT', of: (row) => row.default },
  { heading: 'MEANING', of: (row) => row.meaning },
]

function valueText(value: unknown): string | null {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return value === null ? null : String(value)
}
