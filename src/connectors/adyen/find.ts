import { type Call, CLOSING_MARK, type OperationKind, type StoredNotice } from '../contract/call.ts'
import {
  absent,
  type BookFinding,
  found,
  type Outcome,
  type References,
  type ResponseDetails,
  refusedOutcome,
  unknownOutcome,
  unsure,
} from '../contract/outcome.ts'
import { refusalCode } from './declines.ts'
import type { AdyenOptions } from './environment.ts'
import { authorizedAmount } from './modify.ts'
import { fromMoney } from './money.ts'
import { type KeptNotice, moneyOf, readNotices } from './notice.ts'
import { authorized } from './payment-answer.ts'
import { isKeyRemembered, sendPayment } from './wire.ts'

/**
 * How long after a technical cancellation an authorization may still arrive: the longest time in which an
 * acquirer answers, and the way of its webhook.
 */
export const LATE_AUTHORIZATION_MS = 15 * 60_000

const isOpening = (kind: OperationKind): boolean => kind === 'authorize' || kind === 'sale'

/** The provider's books are its notices: there is no request that reads a payment. */
export async function find(options: AdyenOptions, call: Call): Promise<BookFinding> {
  const notices = await call.notices()
  if (isOpening(call.operation.kind)) {
    const outcome = openingInNotices(call, notices) ?? withdrawn(call, readNotices(notices), options)
    return outcome ? found(outcome) : unsure
  }
  const outcome = modificationInNotices(call, readNotices(notices), options)
  if (outcome) return found(outcome)
  // sent again under its key, the provider answers what it answered before, or does it for the first time
  return isKeyRemembered(options, call) ? absent : unsure
}

/**
 * Makes sure that an absent card payment stays absent: it is cancelled by our reference, and counts as absent
 * when that is over and no authorization has followed it. The mark remembers that the cancellation may be
 * under way, so that no authorization is believed before it.
 */
export async function close(options: AdyenOptions, call: Call): Promise<BookFinding> {
  if (!isOpening(call.operation.kind)) return find(options, call)
  const kept = await call.notices()
  const notices = readNotices(kept)
  const outcome = openingInNotices(call, kept)
  if (outcome) return found(outcome)
  const cancellation = notices.find(isTechnicalCancel)
  if (cancellation) return isOver(options, cancellation) ? absent : unsure
  const { id } = call.operation
  if (!isBeingClosed(call)) await call.commitMark(CLOSING_MARK)
  const body = { paymentReference: id, reference: id }
  // accepted or refused: only its webhook tells what it did
  await sendPayment(options, call, '/cancels', body, `${id}-close`)
  return unsure
}

/** A technical cancellation of the payment may be under way. */
export const isBeingClosed = ({ operation }: Call): boolean => operation.mark === CLOSING_MARK

/** Whether no authorization can follow a technical cancellation any more. */
const isOver = ({ clock }: AdyenOptions, { receivedAt }: KeptNotice): boolean =>
  clock.now() > receivedAt + LATE_AUTHORIZATION_MS

/**
 * A payment that waits for its cardholder, and whose cancellation found nothing to cancel: Railyard alone could
 * continue it.
 */
function withdrawn(call: Call, notices: readonly KeptNotice[], options: AdyenOptions): Outcome | undefined {
  const cancellation = notices.find(isTechnicalCancel)
  return cancellation && isOver(options, cancellation) && !isBeingClosed(call)
    ? refusedOutcome('canceled', {}, referencesOf(call, null))
    : undefined
}

const isTechnicalCancel = ({ event }: KeptNotice) => event === 'TECHNICAL_CANCEL'

/**
 * What the notices say of an authorization or sale; undefined: nothing yet. While a technical cancellation may
 * be under way, no approval is believed: it might be cancelled a moment later. `isRefusalFinal`: false while
 * the buyer may try again in the same session.
 */
export function openingInNotices(
  call: Call,
  stored: readonly StoredNotice[],
  isRefusalFinal = true,
): Outcome | undefined {
  const notices = readNotices(stored)
  const cancellation = notices.find(isTechnicalCancel)
  if (cancellation?.success || notices.some(({ event, success }) => event === 'CANCELLATION' && success))
    return refusedOutcome('canceled', {}, referencesOf(call, cancellation?.original ?? null))
  const answers = notices.filter(
    ({ event, reference }) => event === 'AUTHORISATION' && reference === call.operation.id,
  )
  const approval = answers.find(({ success }) => success)
  if (approval) return isBeingClosed(call) && !cancellation ? undefined : approvalIn(call, approval, notices)
  const refusal = answers.at(-1)
  if (!refusal || !isRefusalFinal) return undefined
  return refusedOutcome(refusalCode(null, refusal.reason), factsIn(refusal), referencesOf(call, refusal.psp))
}

function approvalIn(call: Call, notice: KeptNotice, notices: readonly KeptNotice[]): Outcome {
  const amount = fromMoney(moneyOf(notice), call.operation.currency)
  if (amount === undefined) return unknownOutcome('the amount cannot be read')
  const failure = notices.find(({ event, success }) => event === 'CAPTURE_FAILED' && success)
  if (call.operation.kind === 'sale' && failure)
    return refusedOutcome('service_error', factsIn(failure), referencesOf(call, notice.psp))
  return authorized(call, {
    amount,
    psp: notice.psp,
    facts: { raw_response_code: 'Authorised', ...notice.facts },
    token: notice.token ?? undefined,
  })
}

const factsIn = ({ reason, facts }: KeptNotice): ResponseDetails => ({ raw_response_code: reason, ...facts })

const referencesOf = (call: Call, psp: string | null): References => ({
  ...(psp !== null && { operation: psp, transaction: psp }),
  identifiers: { payment_service_reference: call.operation.id },
})

interface Modification {
  events: readonly string[]
  /** Events that undo it after its success. */
  undoneBy: readonly string[]
}

const modifications: Partial<Record<OperationKind, Modification>> = {
  capture: { events: ['CAPTURE'], undoneBy: ['CAPTURE_FAILED'] },
  refund: { events: ['REFUND'], undoneBy: ['REFUND_FAILED', 'REFUNDED_REVERSED'] },
  void: { events: ['CANCELLATION'], undoneBy: [] },
  cancel: { events: ['TECHNICAL_CANCEL', 'CANCELLATION'], undoneBy: [] },
  increment: { events: ['AUTHORISATION_ADJUSTMENT'], undoneBy: [] },
}

/**
 * What the notices say of a modification; undefined: nothing yet. Notices about the payment are among them, so
 * that only those under our own reference count, except for the cancellation of a payment without an id.
 */
function modificationInNotices(
  call: Call,
  notices: readonly KeptNotice[],
  options: AdyenOptions,
): Outcome | undefined {
  const { kind, id } = call.operation
  const modification = modifications[kind]
  if (!modification) return undefined
  const ours = notices.filter(({ reference }) => kind === 'cancel' || reference === id)
  const notice = ours.find(({ event }) => modification.events.includes(event))
  const undone = ours.find(({ event, success }) => modification.undoneBy.includes(event) && success)
  if (undone) return refusedOutcome('refused_transaction', factsIn(undone), { operation: undone.psp })
  if (!notice) return undefined
  if (!notice.success)
    return kind === 'cancel' ? refusedCancel(call, notices, notice, options) : refusedModification(notice)
  const stated = fromMoney(moneyOf(notice), call.operation.currency)
  return stated === undefined
    ? unknownOutcome('the amount cannot be read')
    : approvedModification(call, notice, stated)
}

function approvedModification(call: Call, { psp, facts }: KeptNotice, stated: number): Outcome {
  const { kind } = call.operation
  if (kind !== 'increment')
    return { status: 'approved', amount: stated, facts, references: { operation: psp } }
  const before = authorizedAmount(call)
  if (before === undefined) return unknownOutcome('the amount before the increment is not known')
  return {
    status: 'approved',
    amount: stated - before,
    facts,
    references: { operation: psp, identifiers: { payment_service_authorized_amount: `${stated}` } },
  }
}

/** A payment that was not authorized has nothing to cancel; one that was cannot be cancelled any more. */
function refusedCancel(
  { operation: { amount } }: Call,
  notices: readonly KeptNotice[],
  notice: KeptNotice,
  options: AdyenOptions,
): Outcome | undefined {
  if (notices.some(({ event, success }) => event === 'AUTHORISATION' && success))
    return refusedModification(notice)
  return isOver(options, notice)
    ? { status: 'approved', amount, facts: {}, references: { operation: notice.psp } }
    : undefined
}

/** The provider explains refused modifications in words; those that tell more than the refusal are here. */
const modificationReasons: readonly [RegExp, Parameters<typeof refusedOutcome>[0]][] = [
  [/insufficient balance|amount .*(?:high|exceed)/i, 'invalid_amount'],
  [
    /hasn.t been captured|already been captured|transaction not (?:captured|authorised)|not in state/i,
    'unexpected_state',
  ],
  [/expired/i, 'expired_authorization'],
  [/chargeback|dispute/i, 'disputed_transaction'],
]

function refusedModification(notice: KeptNotice): Outcome {
  const known = modificationReasons.find(([pattern]) => pattern.test(notice.reason ?? ''))?.[1]
  const code = known ?? refusalCode(null, notice.reason)
  return refusedOutcome(code, factsIn(notice), { operation: notice.psp })
}
