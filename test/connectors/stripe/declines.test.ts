import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorCodes, isErrorCode } from '../../../src/connectors/contract/error-codes.ts'
import { declines } from '../../../src/connectors/stripe/declines.ts'
import { mayBeTriedElsewhere } from '../support/may-be-tried-elsewhere.ts'
import { bench } from './support.ts'

interface Code {
  code: string
  error_code: string
}
interface DeclineCode extends Code {
  hard: boolean
}
const codes: { decline_code: DeclineCode[]; error_code: Code[]; all_error_codes: string[] } = JSON.parse(
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
  test.each(codes.decline_code)('with $code is $error_code', async ({ code, error_code, hard }) => {
    const { stripe, connector, call } = bench()
    const outcome = await connector.operations.authorize?.(
      call({}, { instrument: { providerToken: `pm_decline_${code}` } }),
    )
    expect(outcome).toMatchObject({ code: error_code, facts: { raw_response_code: code } })
    expect(mayBeTriedElsewhere(outcome)).toBe(
      !hard && isErrorCode(error_code) && errorCodes[error_code].retriable,
    )
    expect(stripe.effects()).toEqual([])
    expect(stripe.violations).toEqual([])
  })

  test('may be tried elsewhere, unless Stripe advises not to', async () => {
    const { connector, call } = bench()
    const decline = (providerToken: string) =>
      connector.operations.authorize?.(call({}, { instrument: { providerToken } }))
    expect(mayBeTriedElsewhere(await decline('pm_decline_do_not_honor'))).toBe(true)
    const advised = await decline('pm_advised_do_not_try_again')
    expect(advised).toMatchObject({ status: 'declined', code: 'issuer_decline' })
    expect(mayBeTriedElsewhere(advised)).toBe(false)
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
