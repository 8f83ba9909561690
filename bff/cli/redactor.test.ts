import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { redactorOf } from './redactor.ts'

const redact = redactorOf(
  readConfig({
    OPENAI_API_KEY: 'key-of-mine-7',
    DATABASE_URL: 'postgres://field:p%40ssword9@db.example/field',
    OPENAI_BASE_URL: 'http://user:deepsecret@127.0.0.1:9/v1',
  }),
)

test.for([
  ['our key', 'refused key-of-mine-7 for good'],
  ['the database address', 'postgres://field:p%40ssword9@db.example/field is gone'],
  ['its password, decoded', 'no entry for p@ssword9'],
  ['a password within an address', 'http://user:deepsecret@127.0.0.1:9/v1 answered'],
  ['somebody else’s key', 'sent sk-abcdefgh12345678 there'],
  ['a bearer token', 'Authorization: Bearer abcdef.ghijkl=='],
  ['a login link', 'GET /login/Hl0j7_AOJaR8QfzPFDqNlLAfg0d'],
  ['a password of an unknown address', 'redis://me:hunter2222@cache:1/0'],
])('%s is taken out, and the line stays JSON', ([, text]) => {
  const line = redact(JSON.stringify({ msg: text, err: { stack: `at ${text}\n"quoted"` } }))
  expect(line).toContain('[redacted]')
  const secrets = /key-of-mine|p%40ss|p@ss|deepsecret|sk-abc|abcdef\.|Hl0j7|hunter/
  expect(line).not.toMatch(secrets)
  expect(JSON.parse(line).err.stack).toContain('"quoted"')
})

test('what is no secret stays as it is', () => {
  const line = JSON.stringify({
    job_id: '0190f3c0-0000-7000-8000-000000000000',
    msg: 'job claimed',
    port: 7410,
  })
  expect(redact(line)).toBe(line)
})
