import { expect, it } from 'vitest'
import { jsonDepthMax, jsonShapeFault } from './json-shape.ts'

it.for([
  '{}',
  '"a"',
  '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
  '{"a":"a","b":"{\\"a\\":1,\\"a\\":2}"}',
  '{"a\\"":1,"a":"\\\\","b":1}',
  '{ "a" : [ "a" , "a" ] }',
  `${'['.repeat(jsonDepthMax)}${']'.repeat(jsonDepthMax)}`,
])('finds nothing wrong with %s', (text) => {
  expect(jsonShapeFault(text)).toBeNull()
})

it.for([
  '{"a":1,"a":1}',
  '{"b":[{"a":1 , "a" : 2}]}',
  '{"a":{"x":[]},"b":"\\\\","a":1}',
  '{"a":1,"\\u0061":2}',
])('finds a name given twice in %s', (text) => {
  expect(jsonShapeFault(text)).toBe('must not give a twice')
})

it('finds what is nested too deeply', () => {
  const depth = jsonDepthMax + 1
  expect(jsonShapeFault(`${'[{"a":'.repeat(depth / 2)}[[]]${'}]'.repeat(depth / 2)}`)).toContain('nested')
  expect(jsonShapeFault(`${'['.repeat(depth)}${']'.repeat(depth)}`)).toContain('nested')
})
