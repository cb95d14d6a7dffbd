import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errors, refusalCode, refusals } from '../../../src/connectors/checkout/declines.ts'
import { errorCodes, isErrorCode } from '../../../src/connectors/contract/error-codes.ts'
import { mayBeTriedElsewhere } from '../support/may-be-tried-elsewhere.ts'
import { openBench } from './harness.ts'

interface Codes {
  response_code: { code: string; error_code: string | null; hard: boolean }[]
  error_codes_422: string[]
}

const published: Codes = JSON.parse(
  readFileSync(new URL('../../contracts/codes/checkout.json', import.meta.url), 'utf8'),
)
const declined = published.response_code.flatMap(({ code, error_code: error, hard }) =>
  error === null ? [] : [{ code, error, hard }],
)

test('the table has every published code of a refusal, and no other', () => {
  expect([...refusals.keys()].sort()).toEqual(declined.map(({ code }) => code).sort())
})

test.each(declined)('$code is the refusal $error', async ({ code, error, hard }) => {
  const bench = openBench()
  const outcome = await bench.run('authorize', {}, { instrument: { providerToken: `tok_${code}` } })
  const group = isErrorCode(error) ? errorCodes[error].group : undefined
  expect(outcome).toMatchObject({
    status: group === 'decline' ? 'declined' : 'failed',
    code: error,
    facts: { raw_response_code: code },
  })
  expect(outcome).not.toHaveProperty('unprocessed')
  expect(mayBeTriedElsewhere(outcome)).toBe(!hard && isErrorCode(error) && errorCodes[error].retriable)
  expect(bench.fake.effects()).toEqual([])
})

test('every published approval is approved', async () => {
  for (const { code } of published.response_code.filter(({ error_code: error }) => error === null)) {
    const bench = openBench()
    const payment = { instrument: { providerToken: `tok_${code}` } }
    expect(await bench.run('authorize', {}, payment)).toMatchObject({ status: 'approved' })
  }
})

test('every published error code of a refused request is in the table', () => {
  expect(published.error_codes_422.filter((code) => errors[code] === undefined)).toEqual([])
})

test.each([
  ['20999', 'other_decline'],
  ['30999', 'refused_transaction'],
  ['49999', 'suspected_fraud'],
  ['50999', 'service_decline'],
  ['99999', 'other_decline'],
])('an unknown code %s is decided by its range', (code, expected) => {
  expect(refusalCode(code)).toBe(expected)
})
