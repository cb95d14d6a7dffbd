import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { declines } from '../../../src/connectors/stripe/declines.ts'
import { bench } from './support.ts'

interface Code {
  code: string
  error_code: string
}
const codes: { decline_code: Code[]; error_code: Code[]; all_error_codes: string[] } = JSON.parse(
  readFileSync(new URL('../../contracts/codes/stripe.json', import.meta.url), 'utf8'),
)

test('the table has every code of Stripe once, with the error code that the code list proposes', () => {
  const proposed = [...codes.error_code, ...codes.decline_code]
  expect(Object.fromEntries(proposed.map(({ code }) => [code, declines.get(code)]))).toEqual(
    Object.fromEntries(proposed.map(({ code, error_code }) => [code, error_code])),
  )
  expect(codes.all_error_codes.filter((code) => !declines.has(code))).toEqual([])
  expect(new Set([...proposed.map(({ code }) => code), ...codes.all_error_codes]).size).toBe(declines.size)
})

describe('a card that is declined', () => {
  test.each(codes.decline_code)('with $code is $error_code', async ({ code, error_code }) => {
    const { stripe, connector, call } = bench()
    expect(
      await connector.operations.authorize?.(
        call({}, { instrument: { providerToken: `pm_decline_${code}` } }),
      ),
    ).toMatchObject({ code: error_code, facts: { raw_response_code: code } })
    expect(stripe.effects()).toEqual([])
    expect(stripe.violations).toEqual([])
  })

  test('with a code that Stripe adds tomorrow keeps it', async () => {
    const { connector, call } = bench()
    expect(
      await connector.operations.authorize?.(
        call({}, { instrument: { providerToken: 'pm_decline_new_code' } }),
      ),
    ).toMatchObject({ status: 'declined', code: 'issuer_decline', facts: { raw_response_code: 'new_code' } })
  })
})
