import type { CardDigits } from '../../core/payment.ts'
import type { CardPayment } from './card.schema.ts'

/** semantics §6.1, in this order of precedence. */
const postalCodes = [
  ['77', 'no_match'],
  ['88', 'partial_match_postcode'],
  ['99', 'partial_match_address'],
] as const

/** The issuer's check of the billing address; null without a postal code. */
export function addressCheck(postalCode: string | null | undefined): string | null {
  if (!postalCode) return null
  return postalCodes.find(([digits]) => postalCode.includes(digits))?.[1] ?? 'match'
}

const securityCodes = new Map([
  ['222', 'not_provided'],
  ['333', 'no_match'],
])

/** The issuer's check of the security code (semantics §6.1). */
export function securityCodeCheck(code: string | null | undefined): string {
  if (!code) return 'not_provided'
  return securityCodes.get(code) ?? 'match'
}

export const cardDigits = (number: string): CardDigits => ({
  bin: number.slice(0, 6),
  last4: number.slice(-4),
})

/**
 * The advice in the connection options, if the card is the one that they name. A card that is used again is
 * known by its stored digits only.
 */
export function merchantAdvice(
  { merchant_advice_code: advice, card }: CardPayment,
  stored: CardDigits | null,
): string | null {
  if (!advice) return null
  const named = advice.account_number ?? null
  if (named === null) return advice.result
  if (card) return named === card.number ? advice.result : null
  const digits = cardDigits(named)
  return digits.bin === stored?.bin && digits.last4 === stored.last4 ? advice.result : null
}
