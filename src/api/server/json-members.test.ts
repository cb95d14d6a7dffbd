import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growth } from '../../../test/support/growth.ts'
import { hasDuplicateMembers } from './json-members.ts'

const isDouble = (json: string) => hasDuplicateMembers(json, JSON.parse(json))

test('a text that JSON.stringify has written names no member twice', () => {
  fc.assert(fc.property(fc.json(), (json) => !isDouble(json)))
})

test.each([
  '{"a":1,"a":1}',
  '{"a":1,"b":{"c":[{"d":1,"d":null}]}}',
  '{"a":1,"\\u0061":2}',
  '{"":1,"":2}',
  '{"__proto__":1,"__proto__":2}',
  '{"a\\"b":1,"a\\"b":2}',
  '[{"1":1,"1":1}]',
])('%s names a member twice', (json) => {
  expect(isDouble(json)).toBe(true)
})

test.each([
  '{"a":1,"A":1}',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\"a\\":1"}',
  '{":":":","::":":"}',
  '{"__proto__":1}',
  '"a:b"',
  '7',
  'null',
])('%s does not name a member twice', (json) => expect(isDouble(json)).toBe(false))

describe('the time of the check grows with the text, as the time of parsing does', () => {
  const texts: Record<string, (size: number) => string> = {
    'backslashes in one string': (size) => JSON.stringify('\\'.repeat(size)),
    'quotes in one string': (size) => JSON.stringify('"'.repeat(size)),
    'many members': (size) =>
      `{${Array.from({ length: size / 8 }, (_, index) => `"m${index}":0`).join(',')}}`,
    'many strings': (size) =>
      `[${Array(size / 4)
        .fill('""')
        .join(',')}]`,
    'deep lists': (size) => `${'['.repeat(size)}${']'.repeat(size)}`,
  }
  test.each(Object.entries(texts))('%s', async (_, textOf) => {
    const parsed = new Map<string, unknown>()
    const work = (json: string) => {
      const value = parsed.get(json) ?? JSON.parse(json)
      parsed.set(json, value)
      hasDuplicateMembers(json, value)
    }
    // A large object costs more per member where caches are small or shared, in both.
    const growthOfParsing = await growth(textOf, 100_000, JSON.parse)
    expect((await growth(textOf, 100_000, work)) / growthOfParsing).toBeLessThan(4)
  })
})
