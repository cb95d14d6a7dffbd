import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { declines } from '../../../src/connectors/wallet-wallet/declines.ts'

type Json = { [member: string]: Json } | Json[] | string | number | boolean | null

/** Every text of the enumerations in a schema. */
function enumerated(json: Json): string[] {
  if (Array.isArray(json)) return json.flatMap(enumerated)
  if (typeof json !== 'object' || json === null) return []
  const { enum: values = [], ...rest } = json
  const own = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
  return [...own, ...Object.values(rest).flatMap(enumerated)]
}

/** The values of a member, wherever a schema has it. */
function valuesOf(member: string, json: Json): string[] {
  if (Array.isArray(json)) return json.flatMap((each) => valuesOf(member, each))
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([name, inner]) =>
    name === member ? enumerated(inner) : valuesOf(member, inner),
  )
}

/** The values of a member in PayPal's contracts of orders and payments, each once. */
const published = (member: string): string[] => [
  ...new Set(
    ['wallet-orders', 'wallet-payments'].flatMap((name) => {
      const file = new URL(`../../contracts/${name}.openapi.json`, import.meta.url)
      return valuesOf(member, JSON.parse(readFileSync(file, 'utf8')))
    }),
  ),
]

/** Issues without an error code of their own, each with its reason. */
const withoutCode = {
  CONSENT_NEEDED: 'HTTP 403: refused before it was read',
  INVALID_ACCOUNT_STATUS: 'HTTP 401: refused before it was read',
  NOT_ELIGIBLE_FOR_TOKEN_PROCESSING: 'HTTP 403: refused before it was read',
  PAYEE_ACCOUNT_NOT_VERIFIED: 'HTTP 403: refused before it was read',
  PERMISSION_DENIED_FOR_DONATION_ITEMS: 'HTTP 403: refused before it was read',
  ORDER_COMPLETION_IN_PROGRESS: 'the first request is in progress: the outcome is unknown',
  PREVIOUS_REQUEST_IN_PROGRESS: 'the first request is in progress: the outcome is unknown',
}

/** Response codes of payments that were approved. */
const approvals = ['0000', '1000', '7600']

test('the table has every issue of PayPal’s contracts, except those that say nothing of the payment', () => {
  const issues = published('issue')
  expect(issues.filter((issue) => !Object.hasOwn(declines, issue)).toSorted()).toEqual(
    Object.keys(withoutCode).toSorted(),
  )
  expect(issues).toHaveLength(219)
})

test('the table has every response code of the processor with which a payment is denied', () => {
  const codes = published('response_code')
  expect(codes.filter((code) => !Object.hasOwn(declines, code)).toSorted()).toEqual(approvals)
  expect(codes).toHaveLength(154)
})

test('the table has nothing else', () => {
  const known = new Set([...published('issue'), ...published('response_code')])
  expect(Object.keys(declines).filter((code) => !known.has(code))).toEqual([])
})
