import type { ResponseDetails } from '../contract/outcome.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import type { Payment } from './answer.schema.ts'

/** What each `avs_check` says of the billing address. */
const addressChecks: Readonly<Record<string, string>> = {
  A: 'partial_match_address',
  B: 'partial_match_address',
  C: 'unavailable',
  D: 'match',
  E: 'unavailable',
  F: 'match',
  G: 'unavailable',
  I: 'unavailable',
  M: 'match',
  N: 'no_match',
  P: 'partial_match_postcode',
  R: 'unavailable',
  S: 'unavailable',
  U: 'unavailable',
  W: 'partial_match_postcode',
  X: 'match',
  Y: 'match',
  Z: 'partial_match_postcode',
}

/** What each `cvv_check` says of the security code. */
const securityCodeChecks: Readonly<Record<string, string>> = {
  D: 'no_match',
  M: 'match',
  N: 'no_match',
  P: 'unavailable',
  S: 'not_provided',
  U: 'unavailable',
  X: 'unavailable',
  Y: 'match',
}

/**
 * The issuer's response code (ISO 8583, field 39) in Checkout.com's own: `20051` → `51`. Codes above `200…` are
 * of its gateway; of the hard declines only some are the issuer's.
 */
const issuerCode = (code: string | null): string | null =>
  /^(?:[12]00|300(?=04|07|15|3[3-8]|4[13]))([0-9A-Z]{2})$/.exec(code ?? '')?.[1] ?? null

const openingActions = ['Authorization', 'Card Verification', 'Payout']

/** The response code of a payment that was read has its authorization, not the payment. */
export function responseOf({ response_code, response_summary, actions = [] }: Payment): {
  code: string | null
  summary: string | null
} {
  const opening = actions.findLast(({ type }) => openingActions.includes(type ?? ''))
  return {
    code: nonEmptyText(response_code) ?? nonEmptyText(opening?.response_code),
    summary: nonEmptyText(response_summary) ?? nonEmptyText(opening?.response_summary),
  }
}

/** What a step of a payment says. Members that Checkout.com did not send are left out. */
export function responseFacts(code: string | null, summary: string | null): ResponseDetails {
  const issuer = issuerCode(code)
  return withoutNulls({
    raw_response_code: code,
    raw_response_description: summary,
    auth_response_code: issuer,
    iso_response_code: issuer,
  })
}

/** What a payment says, with what the issuer checked. */
export function paymentFacts(payment: Payment): ResponseDetails {
  const { code, summary } = responseOf(payment)
  const { source, processing, scheme_id: schemeId } = payment
  return {
    ...responseFacts(code ?? nonEmptyText(payment.status), summary),
    ...withoutNulls({
      avs_response_code: addressChecks[source?.avs_check ?? ''] ?? null,
      cvv_response_code: securityCodeChecks[source?.cvv_check ?? ''] ?? null,
      scheme_transaction_id: nonEmptyText(schemeId),
      transaction_link_id: nonEmptyText(processing?.scheme_transaction_link_id),
      merchant_advice_code: nonEmptyText(processing?.partner_merchant_advice_code),
    }),
  }
}

const withoutNulls = (facts: ResponseDetails): ResponseDetails =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null))
