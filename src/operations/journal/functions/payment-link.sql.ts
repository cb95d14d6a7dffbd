import { type ErrorCode, errorCodes, isErrorCode } from '../../../connectors/contract/error-codes.ts'

/**
 * What the outbox says of a payment link (semantics §15.2): not its URL, which is a credential, nor what was
 * sent once and never changes: a cart may have 249 items, and each move of the link tells of it.
 */
export const paymentLinkTarget = (l: string) => `json_build_object(
  'type', 'payment-link', 'id', ${l}.id, 'status', ${l}.status, 'expires_at', ${l}.expires_at, 'amount', ${l}.amount, 'country', ${l}.country,
  'currency', ${l}.currency, 'intent', ${l}.intent, 'payment_source', ${l}.payment_source, 'store', ${l}.store, 'buyer_id', ${l}.buyer_id,
  'external_identifier', ${l}.external_identifier, 'metadata', ${l}.metadata, 'created_at', ${l}.created_at, 'updated_at', ${l}.updated_at)`

/**
 * Whether this payment pays its link: it was approved, whatever became of it later. A sale that the payment
 * service has yet to decide does not yet.
 */
export const paysLink = (t: string) =>
  `(${t}.status in ('authorization_succeeded', 'capture_succeeded')
     or (${t}.status in ('capture_pending', 'authorization_void_pending', 'authorization_voided') and ${t}.authorized_at is not null))`

/**
 * The number of declined payments after which a link expires. A buyer stops before that; a thief with stolen
 * cards does not.
 */
export const MAX_LINK_DECLINES = 10

/**
 * Refusals that reveal something about a card, beside declines. A buyer who turns back and an outage reveal
 * nothing.
 */
const cardRelatedCodes: readonly ErrorCode[] = [
  ...([
    'requires_buyer_authentication',
    'failed_buyer_approval',
    'invalid_payment_method',
    'unavailable_payment_method',
  ] as const),
  ...(['unknown_payment_method', 'unrecognised_payment_method', 'missing_cvv'] as const),
]
const declineCodes = Object.keys(errorCodes)
  .filter(isErrorCode)
  .filter((code) => errorCodes[code].group === 'decline' || cardRelatedCodes.includes(code))

/** The link's declines, this payment's among them. */
const declines = (l: string, t: string) =>
  `${l}.declines + (${l}.status = 'processing' and ${t}.status = 'authorization_failed' and coalesce(${t}.error_code, '') = any('{${declineCodes}}'))::int`

/**
 * What a payment makes of its link: paid for good, under way, or to be paid by another as long as there is
 * time, and not too many were declined.
 */
const linkStatus = (l: string, t: string, now: string) => `case
    when ${l}.status = 'completed' or ${paysLink(t)} then 'completed'
    when ${t}.status in ('processing', 'buyer_approval_pending', 'capture_pending', 'authorization_void_pending') then 'processing'
    when ${l}.status = 'expired' or ${l}.expires_at <= ${now} or ${declines(l, t)} >= ${MAX_LINK_DECLINES} then 'expired' else 'active' end`

/**
 * Tells of a link that was moved. `link`: the variable with its row; `sequence`: one that gets the number of
 * the event; `event`: the id of the event, as an expression.
 */
export const insertLinkEvent = ({ link, sequence, event }: Record<'link' | 'sequence' | 'event', string>) => `
      insert into event_sequences (merchant_account_id, target_id, last)
      values (${link}.merchant_account_id, ${link}.id, 1)
          on conflict (merchant_account_id, target_id) do update set last = event_sequences.last + 1
      returning last into ${sequence};
      insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
      values (${link}.merchant_account_id, ${event}, 'payment-link.updated', ${link}.id, ${sequence}, ${paymentLinkTarget(link)}, ${link}.updated_at);`

/**
 * Moves the link of a payment where what became of the payment means that; found: it was moved, and the
 * variable `link` has its row. A payment that is not the link's last one says nothing of it, unless it was
 * found to have paid after all. `transaction`: the variable with the payment's row.
 */
export const moveLink = ({
  account,
  transaction: t,
  link,
  now,
}: Record<'account' | 'transaction' | 'link' | 'now', string>) => `
    update payment_links l
       set status = ${linkStatus('l', t, now)},
           declines = ${declines('l', t)},
           updated_at = ${now}
     where l.merchant_account_id = ${account}
       and l.id = ${t}.payment_link_id
       and (l.transaction_id = ${t}.id or ${paysLink(t)})
       and l.status <> ${linkStatus('l', t, now)}
    returning l.* into ${link};`
