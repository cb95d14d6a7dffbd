import { outcomeForAmount, partialApprovalAmount } from '../../core/amounts.ts'
import { approved, responseCodes, type SimulatedResult } from '../../core/operation.ts'
import type { OperationDecision } from '../../core/processing.ts'
import { type Sandbox, timestamp } from '../../sandbox.ts'
import { digitsOfBrowserToken, storeBrowserCard } from './browser-token.ts'
import type { CardPayment } from './card.schema.ts'
import { findStoredCard } from './card-token.ts'
import { addressCheck, cardDigits, merchantAdvice, securityCodeCheck } from './checks.ts'

/** The refusals of a card that its issuer has replaced. */
const invalidCard = new Set<string | null>([
  'expired_payment_method',
  'canceled_payment_method',
  'incorrect_expiry_date',
  'invalid_payment_method',
  'unknown_payment_method',
])

/** The amount that is refused because the cardholder was not authenticated (semantics §3.10). */
const unauthenticated = 200014

/**
 * Whether the issuer requires an authentication: one test card does (semantics §7.3, "even with a skip
 * rule"), except on payments that the merchant initiates.
 */
const isAuthenticationRequired = ({
  card,
  three_d_secure: proof,
  stored_credential: stored,
}: CardPayment): boolean => card?.number === '4111412911111172' && !proof && stored?.initiator !== 'merchant'

/** The provider did not make the token that pays. */
const unknownToken: SimulatedResult = { status: 'failed', code: 'invalid_payment_method' }

const authorizationLifeMs = 7 * 24 * 60 * 60 * 1000

/** Decides an authorization or a sale by its amount. Null: it refers to a payment that does not exist. */
export function decidePayment(
  sandbox: Sandbox,
  service: string,
  key: string,
  body: CardPayment,
): OperationDecision | null {
  const reference = body.reference_payment_id ? sandbox.books.payments.get(body.reference_payment_id) : null
  if (reference === undefined || (reference && reference.payment_service_id !== service)) return null
  const storedCard = body.token ? findStoredCard(sandbox, service, body.token) : null
  if (storedCard === undefined) return null
  const browserCard = body.browser_token === undefined ? null : digitsOfBrowserToken(body.browser_token)
  const numbered = body.card ?? body.network_token
  const card = numbered ? cardDigits(numbered.number) : (storedCard ?? browserCard ?? reference?.card ?? null)
  const usual = browserCard === undefined ? unknownToken : outcomeForAmount(body.kind, body.amount)
  const verdict = isAuthenticationRequired(body)
    ? outcomeForAmount(body.kind, unauthenticated)
    : body.renewed_card && invalidCard.has(usual.code)
      ? approved
      : usual
  const isAccepted = verdict.code === null
  const id = sandbox.ids.next()
  const stored =
    isAccepted && body.store && body.browser_token !== undefined
      ? storeBrowserCard(sandbox, service, key, body.browser_token)
      : undefined
  return {
    result: {
      key,
      kind: body.kind,
      id: `${body.kind === 'sale' ? 'sal' : 'aut'}_${id}`,
      payment_id: `pay_${id}`,
      amount:
        body.amount === partialApprovalAmount && body.allow_partial
          ? Math.floor(body.amount / 2)
          : body.amount,
      currency: body.currency,
      ...responseCodes(verdict),
      avs_response_code: addressCheck(body.billing_postal_code),
      cvv_response_code: securityCodeCheck(body.card?.security_code),
      scheme_transaction_id: isAccepted ? schemeTransactionId(id) : null,
      ...(isAccepted &&
        numbered &&
        isMastercard(numbered.number) && {
          transaction_link_id:
            body.stored_credential?.transaction_link_id ?? `TLID${schemeTransactionId(id)}`,
        }),
      ...(stored && { stored_card: stored }),
      merchant_advice_code: merchantAdvice(body, card),
      authorization_expires_at:
        isAccepted && body.kind === 'authorize'
          ? new Date(sandbox.clock.now() + authorizationLifeMs).toISOString()
          : null,
      processed_at: timestamp(sandbox),
    },
    opening: {
      card,
      notification_url: body.notification_url ?? null,
      provider: 'card',
      ...(body.three_d_secure && { three_d_secure: body.three_d_secure }),
    },
  }
}

const isMastercard = (number: string) => /^(?:5[1-5]|2[2-7])/.test(number)

/** Fifteen letters from the payment's id, without digits, so that no scanner takes it for a card number. */
const schemeTransactionId = (id: string) =>
  id
    .replaceAll('-', '')
    .slice(-15)
    .replace(/[0-9a-f]/g, (digit) => 'GHIJKLMNOPABCDEF'.charAt(Number.parseInt(digit, 16)))
