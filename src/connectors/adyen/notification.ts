import type { LateOutcome, NotificationForCall, NotificationSubject } from '../contract/connector.ts'
import { isHmacSignature } from '../wire/hmac-signature.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { disputeIn } from './dispute-notice.ts'
import { type Item, itemsIn, toNoticeBody } from './notice.ts'
import { reportNotice } from './settlement-report.ts'
import { type AdyenCall, merchantAccountOf } from './wire.ts'

const hexKey = /^(?:[0-9a-f]{2}){16,}$/i

/** The text that the provider signs: fixed members, joined. */
const signedText = (item: Item): string =>
  [
    item.pspReference,
    item.originalReference ?? '',
    item.merchantAccountCode,
    item.merchantReference ?? '',
    item.amount?.value ?? '',
    item.amount?.currency ?? '',
    item.eventCode,
    item.success,
  ].join(':')

const isSigned = (item: Item, hmacKey: string): boolean =>
  isHmacSignature(
    Buffer.from(hmacKey, 'hex'),
    signedText(item),
    nonEmptyText(item.additionalData?.['hmacSignature']) ?? '',
    'base64',
  )

/** Railyard's references are UUIDs; events of payments by other systems have other ones. */
export const ourReference = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Events that tell of a payment or a modification of it. They are kept under our reference, which is the id of
 * the operation, and under the provider's id of the payment.
 */
const kept = new Set([
  'AUTHORISATION',
  'AUTHORISATION_ADJUSTMENT',
  'CANCELLATION',
  'CAPTURE',
  'CAPTURE_FAILED',
  'OFFER_CLOSED',
  'REFUND',
  'REFUNDED_REVERSED',
  'REFUND_FAILED',
  'TECHNICAL_CANCEL',
])

/**
 * What each event of a webhook is about. Each has a signature of its own, over its references, its amount and
 * its result; what else it says is as trustworthy as the secret URL.
 */
export const readNotification = (call: AdyenCall, message: NotificationForCall): NotificationSubject[] =>
  readSigned(call, message, subjectsOf)

/** What the events of a webhook are about, if all are signed; those of other merchant accounts are left out. */
export function readSigned(
  call: Pick<AdyenCall, 'service'>,
  { body }: NotificationForCall,
  subjectsOf: (item: Item) => NotificationSubject[],
): NotificationSubject[] {
  const hmacKey = call.service.fields['hmac_key'] ?? ''
  // without a key Railyard cannot tell a notification from a forgery
  if (!hexKey.test(hmacKey)) return [{ about: 'nothing' }]
  const items = itemsIn(body)
  if (!items?.every((item) => isSigned(item, hmacKey))) return [{ about: 'forged' }]
  return items.flatMap((item) =>
    item.merchantAccountCode === merchantAccountOf(call) ? subjectsOf(item) : [],
  )
}

/**
 * Successful events that may come after the operation is decided: an authorization, for a payment that was
 * closed by a technical cancellation, which found nothing to cancel; and what takes a success back.
 */
const lateMeanings: Readonly<Record<string, LateOutcome>> = {
  AUTHORISATION: 'approval',
  CAPTURE_FAILED: 'failure',
  REFUNDED_REVERSED: 'failure',
  REFUND_FAILED: 'failure',
}

function subjectsOf(item: Item): NotificationSubject[] {
  const dispute = disputeIn(item)
  if (dispute) return [{ about: 'dispute', dispute }]
  if (item.eventCode === 'REPORT_AVAILABLE') return item.success === 'true' ? reportNotice(item) : []
  const reference = item.merchantReference ?? ''
  if (!kept.has(item.eventCode) || !ourReference.test(reference)) return []
  const body = toNoticeBody(item)
  const id = `${item.eventCode}:${item.pspReference}:${item.success}`
  const payment = item.originalReference || item.pspReference
  const meaning = item.success === 'true' ? lateMeanings[item.eventCode] : undefined
  const late = meaning ? { late: meaning } : {}
  return [
    { about: 'operation', operation: reference, notice: { id, body }, ...late },
    { about: 'payment', payment, notice: { id: `${id}:payment`, body } },
    // a pending payment is known by our reference until the provider has authorized it
    { about: 'payment', payment: reference },
  ]
}
