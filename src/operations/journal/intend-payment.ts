import { auditEntry } from '../../database/logs/audit-log.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'
import type { TimelineEntry } from '../timeline-entry.ts'
import { intendPayment as intendPaymentFunction } from './functions/intend-payment.sql.ts'
import {
  type Claim,
  claimParameters,
  isViolation,
  numberEvents,
  type OutboxEvent,
  retryJournalWrite,
  timelineParameters,
  traceCommit,
  withTimeline,
} from './journal.ts'

/**
 * What a payment does to the vault in its own commit: it uses a stored method, or keeps its own (`row` as
 * JSON, provisional).
 */
export type VaultEffect = { does: 'uses'; id: string } | { does: 'keeps'; row: object }

/**
 * What a wallet gave for one payment: `hash` is the SHA-256 of its name for the token, in hex, and after
 * `usable_until` (ISO 8601) no payment service takes it.
 */
export interface OneTimeToken {
  source: string
  hash: string
  usable_until: string
}

/** A delegated payment that pays: its row, and the platform's id of the checkout session that it is for. */
export interface Delegation {
  id: string
  checkoutSession: string
}

/** The agentic checkout that a delegated payment completes, and which of its prices that is. */
export interface CompletedCheckout {
  id: string
  revision: number
}

/**
 * Anything but `created` wrote nothing: the stored method was deleted meanwhile, another one has the external
 * identifier, the link is not active, another payment has used the wallet's token, or the delegated payment
 * does not allow this one any more.
 */
export type IntendPaymentResult =
  | 'created'
  | 'method gone'
  | 'external identifier taken'
  | 'link closed'
  | 'token used already'
  | 'delegation closed'

export interface NewPayment {
  transaction: { id: string; merchant_account_id: string }
  operations: OperationRow[]
  timeline: TimelineEntry[]
  events: OutboxEvent[]
  claim: Claim | undefined
  vault?: VaultEffect | undefined
  /**
   * Used up by the commit that writes the payment down: a process that dies before it leaves the token good.
   * No wallet pays through a link.
   */
  token?: OneTimeToken | undefined
  /** Reserved by the commit that writes the payment down. */
  delegation?: Delegation | undefined
  /** Of a delegated payment: completed by the commit that decides the payment. */
  checkout?: CompletedCheckout | undefined
  /** The id of the payment link that it is made through. */
  link?: string | undefined
}

/** A new transaction with its first operation, or without one where no payment service can be asked. */
export async function intendPayment(
  world: World,
  {
    transaction,
    operations,
    timeline,
    events,
    claim: idempotency,
    vault,
    token,
    delegation,
    checkout,
    link,
  }: NewPayment,
): Promise<IntendPaymentResult> {
  const [first, ...others] = operations
  const intended = first
    ? withTimeline(world, first, timeline)
    : { operation: undefined, timeline: timelineParameters(world, timeline) }
  const parameters = {
    account: transaction.merchant_account_id,
    transaction: JSON.stringify({ ...transaction, event_count: events.length }),
    operations: JSON.stringify(intended.operation ? [intended.operation, ...others] : []),
    timelineId: world.ids.next(),
    ...intended.timeline,
    ...claimParameters(idempotency),
    events: JSON.stringify(numberEvents(events)),
    auditEntry: auditEntry(world, {
      action: 'created',
      resource: { type: 'transaction', id: transaction.id, name: null },
    }),
    linkId: link ?? null,
    linkEventId: link === undefined ? null : world.ids.next(),
    delegatedPaymentId: delegation?.id ?? null,
    checkoutSession: delegation?.checkoutSession ?? null,
    checkoutId: checkout?.id ?? null,
    checkoutRevision: checkout?.revision ?? null,
    storedMethodId: vault?.does === 'uses' ? vault.id : null,
    methodToStore: vault?.does === 'keeps' ? JSON.stringify(vault.row) : null,
    walletToken: token ? JSON.stringify(token) : null,
  }
  const intend = () => intendPaymentFunction.call<IntendPaymentResult>(world, parameters)
  try {
    return await traceCommit(world, 'intend', first, () => retryJournalWrite(intend))
  } catch (error) {
    if (isViolation(error, 'payment_methods_external_identifier')) return 'external identifier taken'
    if (isViolation(error, 'used_wallet_tokens_pkey')) return 'token used already'
    throw error
  }
}
