import type { NotificationForCall, NotificationSubject } from '../../contract/connector.ts'
import type { GiftCardFinding, GiftCardLookup, GiftCardOutcome } from '../../contract/gift-card-connector.ts'
import { absent, found, unknownOutcome, unsure } from '../../contract/outcome.ts'
import type { AdyenOptions } from '../environment.ts'
import { fromMoney } from '../money.ts'
import { type Item, type KeptNotice, moneyOf, readNotices, toNoticeBody } from '../notice.ts'
import { ourReference, readSigned } from '../notification.ts'
import { type AdyenCall, isKeyRemembered } from '../wire.ts'
import { approvedGiftCard } from './redeem.ts'
import { giftCardCode, refused } from './refusals.ts'

interface Decision {
  events: readonly string[]
  /** Events that undo it after its success. */
  undoneBy: readonly string[]
}

const puttingBack: Decision = {
  // what is left of a redemption is refunded, a whole one reversed
  events: ['REFUND', 'CANCEL_OR_REFUND'],
  undoneBy: ['REFUND_FAILED', 'REFUNDED_REVERSED'],
}

/** The events that decide each operation. Activations are decided by their answers. */
const decisions: Partial<Record<GiftCardLookup['operation']['kind'], Decision>> = {
  redeem: { events: ['AUTHORISATION'], undoneBy: [] },
  reverse: puttingBack,
  refund: puttingBack,
}

const undoing = new Set(Object.values(decisions).flatMap(({ undoneBy }) => undoneBy))
const kept = new Set([...Object.values(decisions).flatMap(({ events }) => events), ...undoing])

/** What each event of a webhook is about: the operation of a payment with gift cards. */
export const readNotification = (call: AdyenCall, message: NotificationForCall): NotificationSubject[] =>
  readSigned(call, message, subjectsOf)

function subjectsOf(item: Item): NotificationSubject[] {
  const { eventCode, pspReference, success, merchantReference: operation = '' } = item
  if (!kept.has(eventCode) || !ourReference.test(operation)) return []
  const id = `${eventCode}:${pspReference}:${success}`
  const late = success === 'true' && undoing.has(eventCode) ? { late: 'failure' as const } : {}
  return [{ about: 'operation', operation, notice: { id, body: toNoticeBody(item) }, ...late }]
}

/**
 * The provider's books are its notices, and its memory of keys: sent again under its key, an operation gets the
 * answer that it had, or takes effect for the first time.
 */
export async function find(options: AdyenOptions, call: GiftCardLookup): Promise<GiftCardFinding> {
  const outcome = outcomeIn(call, readNotices((await call.notices?.()) ?? []))
  if (outcome) return found(outcome)
  return isKeyRemembered(options, call) ? absent : unsure
}

/**
 * The provider has no request that keeps an activation from arriving: only the notices decide, and an operation
 * without one stays undecided.
 */
export async function close(call: GiftCardLookup): Promise<GiftCardFinding> {
  const outcome = outcomeIn(call, readNotices((await call.notices?.()) ?? []))
  return outcome ? found(outcome) : unsure
}

function outcomeIn(
  { operation }: GiftCardLookup,
  notices: readonly KeptNotice[],
): GiftCardOutcome | undefined {
  const decision = decisions[operation.kind]
  if (!decision) return undefined
  const ours = notices.filter(({ reference }) => reference === operation.id)
  const undone = ours.find(({ event, success }) => success && decision.undoneBy.includes(event))
  const notice = undone ?? ours.findLast(({ event }) => decision.events.includes(event))
  if (!notice) return undefined
  if (undone || !notice.success)
    return refused({
      code: giftCardCode(null, notice.reason),
      rawCode: notice.event,
      rawMessage: notice.reason,
    })
  const money = moneyOf(notice)
  const amount = money && fromMoney(money, money.currency)
  return amount === undefined
    ? unknownOutcome('the amount cannot be read')
    : approvedGiftCard(amount, notice.psp)
}
