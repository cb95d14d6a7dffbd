import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../../../', import.meta.url)
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** The codes of API §7.1. */
const specifiedCodes = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'duplicate_record',
  'too_early',
  'too_many_requests',
  'server_error',
  'bad_gateway',
  'gateway_timeout',
]

test('the reference of errors has every code that the specification does not have', () => {
  const sources = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  const answered = sources.flatMap((path) =>
    Array.from(textOf(path).matchAll(/new ApiError\(\s*\d{3},\s*'(\w+)'/g), ([, code = '']) => code),
  )
  const added = [...new Set(answered)].filter((code) => !specifiedCodes.includes(code))
  expect(added).toEqual(
    expect.arrayContaining(['incorrect_json', 'invalid_credentials', 'concurrent_request']),
  )
  const reference = textOf('docs/reference/errors.md')
  expect(added.filter((code) => !reference.includes(`\`${code}\``))).toEqual([])
})
