import { describe, expect, test, vi } from 'vitest'
import { readOptions } from './proof.ts'

const takes = {
  rounds: 2,
  seed: Number,
  from: String,
  oneWay: false,
  database: ['embedded', 'postgres'],
} as const
const read = (...args: string[]) => readOptions('thing', takes, args)

test('what is not said is as it was made', () => {
  expect(read()).toEqual({ rounds: 2, oneWay: false, database: 'embedded' })
})

test('what is said holds', () => {
  expect(
    read('--rounds', '0', '--seed', '17', '--from', 'v1', '--one-way', '--database', 'postgres'),
  ).toEqual({
    rounds: 0,
    seed: 17,
    from: 'v1',
    oneWay: true,
    database: 'postgres',
  })
})

describe('what it does not take is said in a line', () => {
  test.each([
    ['no number', ['--rounds', 'many'], "argument 'many' is invalid. It takes a whole number."],
    ['no whole number', ['--rounds', '1.5'], 'It takes a whole number.'],
    ['less than nothing', ['--seed=-1'], 'It takes a whole number.'],
    ['another word', ['--database', 'sqlite'], 'Allowed choices are embedded, postgres.'],
    ['another option', ['--round', '3'], "unknown option '--round'"],
    ['more than options', ['3'], 'too many arguments'],
  ])('%s', (_what, args, said) => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      expect(() => read(...args)).toThrow(said)
      expect(stderr.mock.calls.join('')).toContain(said)
    } finally {
      stderr.mockRestore()
    }
  })
})
