import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodes } from '../../../src/connectors/contract/error-codes.ts'
import { declines } from '../../../src/connectors/mollie/declines.ts'
import { openBench } from './harness.ts'

interface Code {
  code: string
  error_code: string
}

const codes: { failureReason: Code[]; 'statusReason.code': Code[]; test: { amounts_eur: unknown[] } } =
  JSON.parse(readFileSync(new URL('../../contracts/codes/mollie.json', import.meta.url), 'utf8'))

const published = [...codes.failureReason, ...codes['statusReason.code']]

test('the table has every published code, and no other', () => {
  expect(new Set(Object.keys(declines))).toEqual(new Set(published.map(({ code }) => code)))
})

test.each(published)('$code is $error_code', ({ code, error_code }) => {
  expect(declines[code]).toBe(error_code)
  expect(Object.keys(errorCodes)).toContain(error_code)
})

test.each(codes.failureReason)('a card that fails with $code', async ({ code, error_code }) => {
  const bench = openBench()
  const outcome = await bench.run('sale', {}, { instrument: { providerToken: `tkn_decline_${code}` } })
  expect(outcome).toMatchObject({ code: error_code, facts: { raw_response_code: code } })
  expect(['declined', 'failed']).toContain(outcome.status)
  expect(bench.fake.effects()).toEqual([])
})

test('a reason of the status is read where the card has none', async () => {
  const bench = openBench()
  const id = bench.nextId()
  const body = {
    id: 'tr_1',
    status: 'failed',
    createdAt: '2026-11-23T00:00:00Z',
    amount: { currency: 'EUR', value: '10.00' },
    metadata: { operation_id: id },
    details: { failureReason: 'unknown_reason' },
    statusReason: { code: 'do_not_honor', message: 'Do not honor' },
  }
  bench.faults.push({ lost: false, status: 201, headers: {}, body })
  expect(await bench.run('sale', { id })).toMatchObject({
    status: 'declined',
    code: 'issuer_decline',
    facts: { raw_response_code: 'do_not_honor', raw_response_description: 'Do not honor' },
  })
})
