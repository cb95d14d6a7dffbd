import { auditEntry } from '../../database/logs/audit-log.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'
import { intendPayment as statements } from './intend-payment.sql.ts'
import {
  type Claim,
  claimParameters,
  isViolation,
  numberEvents,
  type OutboxEvent,
  retryJournalWrite,
  type TimelineEntry,
  timelineParameters,
  traceCommit,
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
  transaction: { id: string }
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
  const parameters = {
    transaction: JSON.stringify({ ...transaction, event_count: events.length }),
    operations: JSON.stringify(operations),
    timelineId: world.ids.next(),
    ...timelineParameters(world, timeline),
    ...claimParameters(idempotency),
    events: JSON.stringify(numberEvents(events)),
    auditEntry: auditEntry(world, {
      action: 'created',
      resource: { type: 'transaction', id: transaction.id, name: null },
    }),
  }
  const intend = <T>(work: () => Promise<T>) =>
    traceCommit(world, 'intend', operations[0], () => retryJournalWrite(work))
  const methodToStore = vault?.does === 'keeps' ? JSON.stringify(vault.row) : null
  const storedMethodId = vault?.does === 'uses' ? vault.id : null
  if (link !== undefined) {
    const linked = {
      ...parameters,
      methodToStore,
      storedMethodId,
      linkId: link,
      linkEventId: world.ids.next(),
    }
    return intendUnlessTaken(() =>
      intend(() => statements.throughLink.run<IntendedPaymentRow>(world, linked)),
    )
  }
  if (delegation) {
    const delegated = {
      ...parameters,
      delegatedPaymentId: delegation.id,
      checkoutSession: delegation.checkoutSession,
    }
    const created = await intend(() =>
      checkout
        ? statements.completingCheckout.run(world, {
            ...delegated,
            checkoutId: checkout.id,
            checkoutRevision: checkout.revision,
          })
        : statements.delegated.run(world, delegated),
    )
    return created.length > 0 ? 'created' : 'delegation closed'
  }
  if (token)
    return intendUnlessTaken(() =>
      intend(() =>
        statements.fromWallet.run<IntendedPaymentRow>(world, {
          ...parameters,
          walletToken: JSON.stringify(token),
        }),
      ),
    )
  if (storedMethodId !== null) {
    const created = await intend(() =>
      statements.withStoredMethod.run(world, { ...parameters, storedMethodId }),
    )
    return created.length > 0 ? 'created' : 'method gone'
  }
  if (methodToStore !== null)
    return intendUnlessTaken(() =>
      intend(() => statements.storingMethod.run<IntendedPaymentRow>(world, { ...parameters, methodToStore })),
    )
  await intend(() => statements.plain.run(world, parameters))
  return 'created'
}

/** What a payment through a link answers; otherwise it is there, or it violated something. */
interface IntendedPaymentRow {
  open?: boolean
  created?: boolean
}

async function intendUnlessTaken(intend: () => Promise<IntendedPaymentRow[]>): Promise<IntendPaymentResult> {
  try {
    const [{ open = true, created = true } = {}] = await intend()
    return created ? 'created' : open ? 'method gone' : 'link closed'
  } catch (error) {
    if (isViolation(error, 'payment_methods_external_identifier')) return 'external identifier taken'
    if (isViolation(error, 'used_wallet_tokens_pkey')) return 'token used already'
    throw error
  }
}
