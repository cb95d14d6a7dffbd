import { timeOf } from '../base/clock.ts'
import type { Exchange } from '../connectors/contract/call.ts'
import { redemptionById } from '../gift-cards/redemptions/redemption.ts'
import {
  isGiftCardKind,
  isLateCompensation,
  type OperationOutcome,
  type OperationRow,
} from '../operations/operation.ts'
import type { TimelineEntry } from '../operations/timeline-entry.ts'
import { shownBin } from '../vault/cards/card.ts'
import type { DescribedCard } from '../vault/cards/described-card.ts'
import type { World } from '../world.ts'
import type { TransactionChange } from './projection.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionEvent } from './views/timeline.schema.ts'

type TimelineEntryName = TransactionEvent['name']
type KnownOutcome = Exclude<OperationOutcome, { status: 'unknown' }>
/** Names by outcome; an outcome without one is not reported. */
export type NamesByOutcome<T> = Partial<Record<KnownOutcome['status'], T>>

const response = 'payment-connector-response-transaction'

/**
 * The name of the timeline entry for each outcome (semantics §3.17). Without a name here, the operation
 * itself is the only record of that outcome.
 */
const timelineNames: Partial<Record<OperationRow['kind'], NamesByOutcome<TimelineEntryName>>> = {
  approval: { declined: `${response}-declined`, failed: `${response}-authorization-failed` },
  authorize: {
    approved: `${response}-authorization-succeeded`,
    declined: `${response}-declined`,
    failed: `${response}-authorization-failed`,
  },
  sale: {
    approved: `${response}-capture-succeeded`,
    declined: `${response}-declined`,
    failed: `${response}-authorization-failed`,
  },
  capture: {
    approved: `${response}-capture-succeeded`,
    declined: `${response}-capture-declined`,
    failed: `${response}-capture-failed`,
  },
  void: {
    approved: `${response}-void-succeeded`,
    declined: `${response}-void-declined`,
    failed: `${response}-void-failed`,
  },
  cancel: {
    approved: `${response}-cancel-succeeded`,
    pending: `${response}-cancel-pending`,
    declined: `${response}-cancel-failed`,
    failed: `${response}-cancel-failed`,
  },
  redeem: {
    approved: 'gift-card-redemption-succeeded',
    declined: 'gift-card-redemption-failed',
    failed: 'gift-card-redemption-failed',
  },
  reverse: {
    approved: 'gift-card-reversal-succeeded',
    declined: 'gift-card-refund-failed',
    failed: 'gift-card-refund-failed',
  },
  'gift-card-refund': {
    approved: 'gift-card-refund-succeeded',
    declined: 'gift-card-refund-failed',
    failed: 'gift-card-refund-failed',
  },
  increment: {
    approved: `${response}-authorization-increment-succeeded`,
    declined: `${response}-authorization-increment-failed`,
    failed: `${response}-authorization-increment-failed`,
  },
}

/** A line of a transaction's timeline, with the time and an id of now. */
export const timelineEntry = (
  world: World,
  name: TimelineEntryName,
  context: Record<string, unknown>,
): TimelineEntry => ({
  id: world.ids.next(),
  name,
  created_at: timeOf(world.clock),
  context,
})

/** A call to another system, as timeline entries show it; undefined: it was not made. */
export const exchangeContext = (exchange: Exchange | undefined) => ({
  url: exchange?.url ?? null,
  request: exchange?.request ?? null,
  response: exchange?.response ?? null,
  response_status_code: exchange?.status ?? null,
})

/** The payment service, as every timeline entry about it names it. */
export const paymentServiceContext = (
  row: Pick<TransactionRow, 'payment_service_id' | 'payment_service'>,
) => ({
  payment_service_id: row.payment_service_id,
  payment_service_display_name: row.payment_service?.display_name ?? null,
  payment_service_definition_id: row.payment_service?.payment_service_definition_id ?? null,
})

/**
 * The timeline entries that an outcome adds to its transaction: the outcome itself, and the change of status
 * that it brings. `retryRule` is the rule by which another attempt follows; null: none follows.
 */
export function timelineOfOutcome(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  outcome: OperationOutcome,
  change: TransactionChange,
  retryRule: string | null,
): TimelineEntry[] {
  const entries: TimelineEntry[] = []
  const names =
    isLateCompensation(operation) && operation.kind === 'refund'
      ? timelineNames.cancel
      : timelineNames[operation.kind]
  const name = outcome.status === 'unknown' ? undefined : names?.[outcome.status]
  if (name && outcome.status !== 'unknown') {
    const context = isGiftCardKind(operation.kind)
      ? redemptionContext(row, operation, outcome)
      : outcomeContext(world, row, operation, outcome, retryRule)
    entries.push(timelineEntry(world, name, context))
  }
  if (change.status !== row.status)
    entries.push(
      timelineEntry(world, 'transaction-updated-status', {
        status: change.status,
        previous_status: row.status,
      }),
    )
  return entries
}

/** The context of an entry about an operation at a payment service. */
function outcomeContext(
  world: World,
  row: TransactionRow,
  operation: OperationRow,
  outcome: KnownOutcome,
  retryRule: string | null,
): Record<string, unknown> {
  const {
    raw_response_code = null,
    raw_response_description = null,
    avs_response_code = null,
    cvv_response_code = null,
  } = outcome.facts
  return {
    ...paymentServiceContext(row),
    payment_service_transaction_id:
      operation.input.late_payment?.reference ??
      outcome.references.transaction ??
      row.payment_service_transaction_id,
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
    ...(isLateCompensation(operation) && {
      payment_service_id: operation.payment_service_id,
      compensation: operation.kind,
    }),
  }
}

/** The context of an entry about a gift card. */
function redemptionContext(
  { gift_cards: giftCards }: TransactionRow,
  { amount, input }: OperationRow,
  outcome: KnownOutcome,
): Record<string, unknown> {
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

/** The entry that says what Railyard knows of a card by its first digits. */
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
