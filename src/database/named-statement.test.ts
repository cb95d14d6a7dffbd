import { expect, test } from 'vitest'
import { namedStatement } from './named-statement.ts'

test('parameters are numbered in the order in which they are declared, wherever and however often they are used', async () => {
  const statement = namedStatement(['account', 'id'], (p) => `select ${p.id}, ${p.account}, ${p.id}`)
  expect(statement.text).toBe('select $2, $1, $2')
  const sent: unknown[] = []
  const run = async (text: string, values: readonly unknown[]) => {
    sent.push(text, values)
    return []
  }
  await statement.run({ run }, { id: 2, account: 1 })
  expect(sent).toEqual([statement.text, [1, 2]])
})

test('a parameter that the statement does not use is refused when the module is loaded; $1 is not $10', () => {
  const names = Array.from({ length: 10 }, (_, index) => `p${index + 1}`)
  const allButTheFirst = (parameters: Record<string, string>) =>
    names.slice(1).map((name) => parameters[name])
  expect(() => namedStatement(names, (p) => `select ${allButTheFirst(p).join(', ')}`)).toThrow(
    'does not use: p1',
  )
})

test('the compiler refuses a parameter that is missing, unknown or not declared', async () => {
  const statement = namedStatement(['account'], (p) => `select ${p.account}`)
  const world = { run: async () => [] }
  // @ts-expect-error missing
  await statement.run<{ id: string }>(world, {})
  // @ts-expect-error unknown
  await statement.run<{ id: string }>(world, { account: 1, other: 2 })
  // @ts-expect-error not declared
  expect(namedStatement(['account'], (p) => `select ${p.account}, ${p.other}`).text).toContain('undefined')
})
