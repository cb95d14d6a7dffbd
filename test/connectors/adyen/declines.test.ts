import { expect, test } from 'vitest'
import { errors, refusals } from '../../../src/connectors/adyen/declines.ts'
import { errorCodes, isErrorCode } from '../../../src/connectors/contract/error-codes.ts'
import codes from '../../contracts/codes/adyen.json' with { type: 'json' }
import { openBench } from './harness.ts'

const refused = codes.refusalReasonCode.filter(({ error_code }) => error_code !== null)
const groupOf = (code: string | null) => (isErrorCode(code) ? errorCodes[code].group : undefined)

test('the table has every refusal code of the provider, and no other', () => {
  const ours = Object.fromEntries(Object.entries(refusals).map(([code, row]) => [code, row.code]))
  expect(ours).toEqual(
    Object.fromEntries(codes.refusalReasonCode.map(({ code, error_code }) => [code, error_code])),
  )
})

test('the table has every error code of the provider, and no other', () => {
  expect(errors).toEqual(
    Object.fromEntries(codes.errorCode.map(({ code, error_code }) => [code, error_code])),
  )
})

test.each(refused)('the refusal $code ($means) is $error_code', async ({ code, error_code }) => {
  const bench = openBench()
  const operation = { id: bench.nextId(), kind: 'authorize' as const }
  const expected = {
    status: groupOf(error_code) === 'decline' ? 'declined' : 'failed',
    code: error_code,
    facts: { raw_response_code: code },
  }
  const options = { additionalData: { RequestedTestAcquirerResponseCode: code } }
  expect(await bench.run('authorize', operation, { options })).toMatchObject(expected)
  expect(bench.fake.effects()).toEqual([])
  // the webhook has the text of the refusal, and not its code
  await bench.deliver()
  expect(await bench.find(operation)).toMatchObject({
    outcome: { status: expected.status, code: error_code },
  })
})

test.each(codes.errorCode)('the error $code with HTTP 422 is $error_code', async ({ code, error_code }) => {
  const bench = openBench()
  const isConflict = code === '701' || code === '704'
  const body = { status: 422, errorCode: code, message: 'No', errorType: 'validation' }
  bench.faults.push({ lost: false, status: 422, headers: {}, body })
  const outcome = await bench.run('authorize')
  expect(outcome).toMatchObject(
    isConflict
      ? { status: 'unknown' }
      : { code: error_code, facts: { raw_response_code: code, raw_response_description: 'No' } },
  )
})

test('a refusal that is not in the table is refused all the same', async () => {
  const bench = openBench()
  const body = { resultCode: 'Refused', pspReference: 'P', refusalReason: 'New', refusalReasonCode: '99' }
  bench.faults.push({ lost: false, status: 200, headers: {}, body })
  expect(await bench.run('authorize')).toMatchObject({ status: 'declined', code: 'refused_transaction' })
})

test.each([
  [{}, 'canceled'],
  [{ refusalReason: 'Cancelled', refusalReasonCode: '15' }, 'canceled'],
  [{ refusalReason: 'Shopper Cancelled', refusalReasonCode: '16' }, 'cancelled_buyer_approval'],
])('a canceled payment with %j is %s, as in its webhook', async (reason, code) => {
  const bench = openBench()
  const body = { resultCode: 'Cancelled', pspReference: 'P', ...reason }
  bench.faults.push({ lost: false, status: 200, headers: {}, body })
  expect(await bench.run('authorize')).toMatchObject({ status: 'failed', code })
})
