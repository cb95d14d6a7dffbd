import { expect, test } from 'vitest'
import { byErrorCode, byReason, refusal } from '../../../src/connectors/bnpl-bnpl/declines.ts'
import { errorCodes } from '../../../src/connectors/contract/error-codes.ts'

/** Klarna's published error codes, by the status with which they come. */
const published: Readonly<Record<number, readonly string[]>> = {
  400: ['BAD_VALUE', 'BAD_REQUEST'],
  401: ['UNAUTHORIZED'],
  403: [
    'REJECTED',
    'INVALID_OPERATION',
    'MERCHANT_INACTIVE',
    'CAPTURE_NOT_ALLOWED',
    'CANCEL_NOT_ALLOWED',
    'REFUND_NOT_ALLOWED',
    'NOT_ALLOWED',
  ],
  404: ['NOT_FOUND', 'SESSION_COMPLETED', 'NO_SUCH_ORDER', 'NO_SUCH_CAPTURE'],
  409: ['CONFLICT'],
  422: ['INVALID_ADDRESS', 'UNPROCESSABLE_ENTITY'],
  429: ['TOO_MANY_REQUESTS'],
}

const codes = Object.entries(published).flatMap(([status, words]) =>
  words.map((word) => [Number(status), word] as const),
)

test('the table has every error code of Klarna’s, and nothing else', () => {
  expect(Object.keys(byErrorCode).toSorted()).toEqual(codes.map(([, word]) => word).toSorted())
})

test('every meaning is an error code of Railyard’s', () => {
  const meanings = [...Object.values(byErrorCode), ...Object.values(byReason)]
  expect(meanings.filter((code) => !Object.hasOwn(errorCodes, code))).toEqual([])
})

test.each(codes)('HTTP %i with %s', (status, error_code) => {
  const answer = { lost: false, status, headers: {}, body: { error_code } } as const
  const outcome = refusal(answer)
  // a conflict can be with our own request
  if (status === 409) expect(outcome).toMatchObject({ status: 'unknown' })
  else
    expect(outcome).toMatchObject({
      code: byErrorCode[error_code],
      facts: { raw_response_code: error_code },
    })
})

test.each([500, 502, 503, 504])('HTTP %i is an unknown outcome', (status) => {
  const body = { error_code: 'TEMPORARILY_UNAVAILABLE' }
  expect(refusal({ lost: false, status, headers: {}, body })).toMatchObject({ status: 'unknown' })
})
