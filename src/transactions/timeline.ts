import { timeOf } from '../base/clock.ts'
import { redemptionById } from '../gift-cards/redemptions/redemption.ts'
import type { OutboxEvent, TimelineEntry } from '../operations/journal/journal.ts'
import { isGiftCardKind, type OperationOutcome, type OperationRow } from '../operations/operation.ts'
import { shownBin } from '../vault/cards/card.ts'
import type { DescribedCard } from '../vault/cards/described-card.ts'
import type { World } from '../world.ts'
import type { TransactionChange } from './projection.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionEvent } from './views/timeline.schema.ts'

type TimelineEntryName = TransactionEvent['name']
type KnownOutcomeStatus = Exclude<OperationOutcome['status'], 'unknown'>
type NamesByOutcome<T> = Partial<Record<KnownOutcomeStatus, T>>

const response = 'payment-connector-response-transaction'

/** How the story tells an outcome (SEMANTICS §3.17). What it has no word for is told by the operation itself. */
const timelineNames: Partial<Record<OperationRow['kind'], NamesByOutcome<TimelineEntryName>>> = {
  approval: { declined: `${response}-declined`, failed: `${response}-authorization-failed` },
  authorize: { approved: `${response}-authorization-succeeded`, declined: `${response}-declined`, failed: `${response}-authorization-failed` },
  sale: { approved: `${response}-capture-succeeded`, declined: `${response}-declined`, failed: `${response}-authorization-failed` },
  capture: { approved: `${response}-capture-succeeded`, declined: `${response}-capture-declined`, failed: `${response}-capture-failed` },
  void: { approved: `${response}-void-succeeded`, declined: `${response}-void-declined`, failed: `${response}-void-failed` },
  cancel: {
    approved: `${response}-cancel-succeeded`,
    pending: `${response}-cancel-pending`,
    declined: `${response}-cancel-failed`,
    failed: `${response}-cancel-failed`,
  },
  redeem: { approved: 'gift-card-redemption-succeeded', declined: 'gift-card-redemption-failed', failed: 'gift-card-redemption-failed' },
  reverse: { approved: 'gift-card-reversal-succeeded', declined: 'gift-card-refund-failed', failed: 'gift-card-refund-failed' },
  'gift-card-refund': { approved: 'gift-card-refund-succeeded', declined: 'gift-card-refund-failed', failed: 'gift-card-refund-failed' },
  increment: {
    approved: `${response}-authorization-increment-succeeded`,
    declined: `${response}-authorization-increment-failed`,
    failed: `${response}-authorization-increment-failed`,
  },
}

const refundNames: NamesByOutcome<string[]> = {
  approved: ['operation:refund.succeeded'],
  pending: ['operation:refund.pending'],
  declined: ['operation:refund.declined'],
  failed: ['operation:refund.failed'],
}

/** What the merchant's systems are told (SEMANTICS §15.4); `operation:` events are about the capture or refund. */
const outboxNames: Partial<Record<OperationRow['kind'], NamesByOutcome<string[]>>> = {
  approval: {
    pending: ['transaction.authentication-pending'],
    approved: ['transaction.authenticated'],
    declined: ['transaction.declined'],
    failed: ['transaction.failed'],
  },
  screening: { declined: ['transaction.declined'], failed: ['transaction.failed'] },
  authentication: {
    pending: ['transaction.authentication-pending'],
    approved: ['transaction.authenticated'],
    declined: ['transaction.declined'],
    failed: ['transaction.failed'],
  },
  authorize: { approved: ['transaction.authorized'], declined: ['transaction.declined'], failed: ['transaction.failed'] },
  sale: {
    approved: ['operation:capture.succeeded', 'transaction.captured'],
    pending: ['operation:capture.pending', 'transaction.capture-pending'],
    declined: ['transaction.declined'],
    failed: ['transaction.failed'],
  },
  capture: {
    approved: ['operation:capture.succeeded', 'transaction.captured'],
    pending: ['operation:capture.pending', 'transaction.capture-pending'],
    declined: ['operation:capture.declined', 'transaction.capture-failed'],
    failed: ['operation:capture.failed', 'transaction.capture-failed'],
  },
  void: {
    approved: ['transaction.voided'],
    pending: ['transaction.void-pending'],
    declined: ['transaction.void-declined'],
    failed: ['transaction.void-failed'],
  },
  cancel: { approved: ['transaction.failed'] },
  increment: {
    approved: ['transaction.authorization-incremented'],
    declined: ['transaction.authorization-increment-failed'],
    failed: ['transaction.authorization-increment-failed'],
  },
  refund: refundNames,
  'gift-card-refund': refundNames,
}

export const timelineEntry = (world: World, name: TimelineEntryName, context: Record<string, unknown>): TimelineEntry => ({
  id: world.ids.next(),
  name,
  created_at: timeOf(world.clock),
  context,
})

/** Events of the outbox. To the merchant an unknown outcome is a pending one, and is told once. */
export function outboxEventsOfOutcome(world: World, operation: OperationRow, outcome: OperationOutcome): OutboxEvent[] {
  // an approval whose answer was lost has nothing to tell yet: there is no page to send a buyer to
  if (outcome.status === 'unknown' && operation.kind === 'approval') return []
  // who was not challenged has nothing to come back from (SEMANTICS §15.4: the final state of a synchronous create alone)
  if (operation.kind === 'authentication' && operation.status !== 'pending' && outcome.status === 'approved') return []
  const told = outcome.status === 'unknown' ? 'pending' : outcome.status
  if (told === 'pending' && operation.status === 'unknown' && operation.kind !== 'approval') {
    // a sale of which nobody knew leaves its transaction `processing`: only now it is `capture_pending`
    return outcome.status === 'pending' && operation.kind === 'sale' ? [outboxEvent(world, 'transaction.capture-pending')] : []
  }
  return (outboxNames[operation.kind]?.[told] ?? []).map((name) => outboxEvent(world, name))
}

export function outboxEvent(world: World, name: string): OutboxEvent {
  const ofOperation = name.startsWith('operation:')
  return { id: world.ids.next(), name: name.replace('operation:', ''), target: ofOperation ? 'operation' : 'transaction' }
}

/** The payment service, as every line about it names it. */
export const paymentServiceContext = (row: Pick<TransactionRow, 'payment_service_id' | 'payment_service'>) => ({
  payment_service_id: row.payment_service_id,
  payment_service_display_name: row.payment_service?.display_name ?? null,
  payment_service_definition_id: row.payment_service?.payment_service_definition_id ?? null,
})

/** The lines that an outcome adds to the story of its transaction. */
export function timelineOfOutcome(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  outcome: OperationOutcome,
  change: TransactionChange,
  retryRule: string | null,
): TimelineEntry[] {
  const name = outcome.status === 'unknown' ? undefined : timelineNames[operation.kind]?.[outcome.status]
  const lines: TimelineEntry[] = []
  if (name && outcome.status !== 'unknown' && isGiftCardKind(operation.kind))
    lines.push(timelineEntry(world, name, redemptionContext(row, operation, outcome)))
  else if (name && outcome.status !== 'unknown') {
    const { raw_response_code = null, raw_response_description = null, avs_response_code = null, cvv_response_code = null } = outcome.facts
    lines.push(
      timelineEntry(world, name, {
        ...paymentServiceContext(row),
        payment_service_transaction_id: outcome.references.transaction ?? row.payment_service_transaction_id,
        status: outcome.status,
        ...('code' in outcome && { code: outcome.code }),
        instrument_type: row.instrument_type,
        retry_rule: retryRule,
        raw_response_code,
        raw_response_description,
        avs_response_code,
        cvv_response_code,
        payment_method_scheme: row.payment_method?.scheme ?? null,
        ...(operation.kind === 'void' && outcome.status === 'approved' && { voided_at: timeOf(world.clock) }),
      }),
    )
  }
  if (change.status !== row.status)
    lines.push(timelineEntry(world, 'transaction-updated-status', { status: change.status, previous_status: row.status }))
  return lines
}

/** What a line about a gift card says. */
function redemptionContext(
  { gift_cards: giftCards }: TransactionRow,
  { amount, input }: OperationRow,
  outcome: Exclude<OperationOutcome, { status: 'unknown' }>,
) {
  const redemption = redemptionById(giftCards, input.redemption)
  return {
    gift_card_redemption_id: input.redemption ?? null,
    gift_card_service_redemption_id: redemption?.reference ?? outcome.references.operation ?? null,
    gift_card_id: redemption?.gift_card.id ?? null,
    gift_card_last4: redemption?.gift_card.last4 ?? null,
    amount,
    ...('code' in outcome && { code: outcome.code }),
    raw_response_code: outcome.facts.raw_response_code ?? null,
    raw_response_description: outcome.facts.raw_response_description ?? null,
  }
}

export const binLookup = (world: World, card: DescribedCard): TimelineEntry =>
  timelineEntry(world, 'bin-lookup-request', {
    response: null,
    response_status_code: null,
    success: true,
    bin: shownBin(card.bin),
    instrument: 'pan',
    type: card.card_type,
    scheme: card.scheme,
    additional_schemes: card.additional_schemes,
    country_code: card.card_country,
    supports_network_tokens: false,
  })
