import { afterAll, beforeAll, expect, it } from 'vitest'
import { endpoints } from '../../shared/api.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { plannedEndpoints } from '../../shared/planned-endpoints.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { openApiDocument } from './open-api.ts'
import { type TestHttp, testHttp, testOrigin } from './testing/test-http.ts'

let db: TestDatabase
let http: TestHttp
let document: Record<string, unknown>
beforeAll(async () => {
  db = await testDatabase()
  http = testHttp(db.database)
  document = await http.json('/openapi.json')
})
afterAll(() => db.close())

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; schema: unknown }[]
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>
}

it('lists exactly the calls of the table, each of which the app serves', async () => {
  const table: Endpoint[] = Object.values(endpoints)
  const listed = operations().map(({ path, method }) => `${method} ${path}`)
  expect(listed.sort()).toEqual(table.map(({ method, path }) => `${method} ${path}`).sort())
  const routed = new Set(http.app.routes.map(({ method, path }) => `${method} ${path}`))
  for (const { method, path } of table) {
    expect(routed).toContain(`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`)
  }
})

it('describes nothing that is only planned, and the app serves nothing of it', async () => {
  const { cookie } = await http.visitor()
  const planned: Endpoint[] = Object.values(plannedEndpoints)
  const id = '00000000-0000-4000-8000-000000000000'
  for (const { method, path } of planned) {
    const answer = await http.app.request(`${testOrigin}${path.replace(/\{\w+\}/g, id)}`, {
      method,
      headers: { cookie },
    })
    expect([path, [400, 404, 405].includes(answer.status)]).toEqual([path, true])
  }
})

it('has the shape of OpenAPI 3.1: every reference leads somewhere, every parameter of a path is described', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info).toMatchObject({ title: 'Mission Field', version: 'test' })
  const text = JSON.stringify(document)
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference)
  expect(references.length).toBeGreaterThan(10)
  for (const reference of new Set(references)) expect([reference, lookUp(reference)]).not.toContain(undefined)
  const ids = operations().map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, operation } of operations()) {
    const inPath = operation.parameters
      ?.filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name)
    expect(inPath ?? []).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    expect(Object.values(operation.responses).every(({ description }) => description !== '')).toBe(true)
  }
})

it('says what a call takes and how it is refused', () => {
  const submit = operations().find(({ operation }) => operation.operationId === 'submitPrompt')?.operation
  expect(Object.keys(submit?.responses ?? {})).toEqual(
    expect.arrayContaining(['202', '400', '401', '403', '409', '410', '413', '415', '422', '429']),
  )
  const recent = operations().find(({ operation }) => operation.operationId === 'readRecent')?.operation
  expect(recent?.parameters?.find(({ name }) => name === 'limit')?.schema).toMatchObject({
    type: 'integer',
    minimum: 1,
    maximum: 500,
  })
})

it('refuses to describe what is not in the table', () => {
  const stray: Endpoint = { method: 'GET', path: '/stray', summary: '', responses: { 200: null } }
  expect(() => openApiDocument([stray], '1')).toThrow('GET /stray')
})

function operations(): { path: string; method: string; operation: Operation }[] {
  const paths: Record<string, Record<string, Operation>> = Object(document.paths)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}

function lookUp(reference: string): unknown {
  return reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((value, part) => Object(value)[part], document)
}
