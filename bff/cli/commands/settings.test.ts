import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { settingRows } from './settings.ts'

test('every setting is listed with its value and where that comes from, secrets only as set', () => {
  const rows = settingRows(
    readConfig({
      MISSION_DATA_DIR: '/nowhere/at/all',
      MISSION_PORT: '7500',
      OPENAI_API_KEY: 'key-of-mine',
      DATABASE_URL: 'postgres://field:secret@db/field',
    }),
  )
  const row = (name: string) => rows.find((each) => each.name === name)
  expect(row('MISSION_PORT')).toMatchObject({ value: 7500, source: 'environment', file_key: 'port' })
  expect(row('MISSION_WORKER_CONCURRENCY')).toMatchObject({ value: 8, source: 'default' })
  expect(row('OPENAI_API_KEY')).toMatchObject({ value: '(set)', source: 'environment' })
  expect(row('DATABASE_URL')).toMatchObject({ value: '(set)' })
  expect(row('ANTHROPIC_API_KEY')).toMatchObject({ value: null, source: 'default' })
  expect(row('MISSION_DATA_DIR')).toMatchObject({ file_key: null })
  expect(JSON.stringify(rows)).not.toMatch(/secret@|key-of-mine/)
  expect(rows.filter(({ meaning, default: text }) => meaning === '' || text === '')).toEqual([])
})
