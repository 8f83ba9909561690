import { expect, test } from 'vitest'
import { endpoints } from './api.ts'
import type { Endpoint } from './endpoint.ts'
import { urlOf } from './endpoint.ts'
import { plannedEndpoints } from './planned-endpoints.ts'

const all: [string, Endpoint][] = [...Object.entries(endpoints), ...Object.entries(plannedEndpoints)]

test('no call and no name is described twice, served and planned ones together', () => {
  const calls = all.map(([, { method, path }]) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
  expect(calls.length).toBeGreaterThan(50)
  expect(duplicates(calls)).toEqual([])
  expect(duplicates(all.map(([name]) => name))).toEqual([])
})

test.for(all)('%s describes exactly the parameters of its path', ([, { path, params }]) => {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  expect(Object.keys(params?.shape ?? {})).toEqual(named)
})

test.for(all)('%s takes a body only where a method has one, and answers once', ([, call]) => {
  if (call.body) expect(['POST', 'PUT', 'PATCH']).toContain(call.method)
  expect(Object.keys(call.responses)).toHaveLength(1)
})

test('an address fills the path, escapes what it is given and leaves out what is undefined', () => {
  expect(urlOf(endpoints.useLoginLink, { token: 'a/b?c' })).toBe('/login/a%2Fb%3Fc')
  expect(urlOf(endpoints.readRecent, {}, { since: 'a+b', limit: 5, before: undefined })).toBe(
    '/api/v1/mission/recent?since=a%2Bb&limit=5',
  )
  expect(() => urlOf(endpoints.readPrompt)).toThrow('prompt_id')
})

function duplicates(values: string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}
