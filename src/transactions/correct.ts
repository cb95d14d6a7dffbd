import { DatabaseError } from 'pg'
import { badRequest, invalid, tooEarly } from '../api/errors.ts'
import { tooLarge } from '../api/metadata.ts'
import { auditEntry, auditedBy } from '../database/audit-log.ts'
import { transactionTarget } from '../operations/journal.sql.ts'
import { readOperations } from '../operations/journal.ts'
import { asksBuyer, isOpen, newOperation } from '../operations/operation.ts'
import { linkMoved, linkTold } from '../operations/payment-link.sql.ts'
import { timeOf, type World } from '../world.ts'
import { type Correction, correctionOf, refuseContradictions } from './correction.ts'
import { entry, outboxEvent } from './story.ts'
import type { TransactionRow } from './transaction.row.ts'
import type { TransactionUpdate } from './transaction.schema.ts'
import { readTransaction } from './transaction.store.ts'

/**
 * Writes the row as it is after the correction ($4), provided that it is still the row that the correction was made for ($3); the journal's operation ($5), the story ($6, $7), the event
 * ($8), the audit log's entry ($9) and the event of a payment link ($10).
 */
const correct = `
with given as (
  select *
    from jsonb_populate_record(null::transactions, $4)
), corrected as (
  update transactions t
     set status = given.status,
         amount = given.amount,
         authorized_amount = given.authorized_amount,
         captured_amount = given.captured_amount,
         intent_outcome = given.intent_outcome,
         capture_closed = given.capture_closed,
         error_code = given.error_code,
         payment_service_transaction_id = given.payment_service_transaction_id,
         external_identifier = given.external_identifier,
         metadata = given.metadata,
         details = given.details,
         authorized_at = given.authorized_at,
         captured_at = given.captured_at,
         voided_at = given.voided_at,
         canceled_at = given.canceled_at,
         event_count = t.event_count + 1,
         updated_at = given.updated_at
    from given, jsonb_populate_record(null::transactions, $3) known
   where t.merchant_account_id = $1
     and t.id = $2
     and t.active_operation_id is null
     and (t.updated_at, t.status, t.event_count, t.capture_reserved, t.refund_reserved)
       = (known.updated_at, known.status, known.event_count, known.capture_reserved, known.refund_reserved)
  returning t.*
), journaled as (
  insert into operations
  select row.*
    from corrected, jsonb_populate_record(null::operations, $5) row
), story as (
  insert into transaction_events (merchant_account_id, transaction_id, id, entries)
  select merchant_account_id, id, $6, $7
    from corrected
), told as (
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select merchant_account_id, $8::uuid, 'transaction.modified', id, event_count, ${transactionTarget('corrected')}, updated_at
    from corrected
), audited as (${auditedBy('corrected', '$9', { name: 'corrected.external_identifier' })}
), ${linkMoved('corrected', '(select updated_at from given)')}, ${linkTold('$10::uuid')}
select row_to_json(corrected) as transaction from corrected`

const MOST_TRIES = 20

/**
 * What a merchant knows better, e.g. of what was done at the payment service by hand (SEMANTICS §3.9, PUT). A correction that changes nothing writes nothing. Amounts and status are
 * refused while an operation or a buyer's approval is pending; they are written to the journal too, so that the amounts stay explained.
 */
export async function correctTransaction(world: World, account: string, id: string, input: TransactionUpdate): Promise<TransactionRow> {
  if (input.metadata && tooLarge(input.metadata)) throw invalid({ '/metadata': 'may hold 50 pairs, with keys of 100 and values of 500 characters' })
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const row = await readTransaction(world, account, id)
    const correction = correctionOf(row, input, timeOf(world.clock))
    if (!correction) return row
    if (row.active_operation_id) throw tooEarly()
    if (correction.touchesMoney) await refuseWhilePending(world, row)
    refuseContradictions(correction)
    const [corrected] = await world.run<{ transaction: TransactionRow }>(correct, values(world, row, correction)).catch(explain)
    if (corrected) return corrected.transaction
  }
  throw tooEarly()
}

/** What is pending would be decided against other amounts than those that it was asked for. */
async function refuseWhilePending(world: World, row: TransactionRow): Promise<void> {
  if (row.pending_review) throw badRequest('The transaction is held for review: it is corrected once that is decided')
  const open = (await readOperations(world, row.merchant_account_id, row.id)).find(({ status }) => isOpen(status))
  if (!open) return
  throw badRequest(
    asksBuyer(open)
      ? 'The transaction waits for its buyer: it is corrected once they have decided, or the payment is canceled'
      : `The ${open.kind} ${open.id} is pending: the transaction is corrected once it is decided`,
  )
}

/** The table's own limits refuse a correction that would break them. */
function explain(error: unknown): never {
  const rules: Record<string, string> = {
    captured_within_authorization: 'The captured amount may not exceed the authorized amount',
    refunded_within_capture: 'The captured amount may not be less than what has been refunded',
  }
  const rule = error instanceof DatabaseError ? rules[error.constraint ?? ''] : undefined
  throw rule ? badRequest(rule) : error
}

function values(world: World, row: TransactionRow, { after, changed, touchesMoney }: Correction): unknown[] {
  const now = timeOf(world.clock)
  const operation = newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id: world.ids.next(),
      transaction_id: row.id,
      kind: 'correction',
      amount: 0,
      currency: row.currency,
      payment_service_id: row.payment_service_id,
      check_at: null,
      created_at: now,
    },
    { status: 'approved', settled_at: now, input: changed },
  )
  return [
    row.merchant_account_id,
    row.id,
    JSON.stringify(row),
    JSON.stringify({ ...after, updated_at: now }),
    JSON.stringify(operation),
    world.ids.next(),
    JSON.stringify([entry(world, 'transaction-modified-event', changed)]),
    outboxEvent(world, 'transaction.modified').id,
    auditEntry(world, {
      action: 'updated',
      resource: { type: 'transaction', id: row.id, name: null },
      ...(touchesMoney && { details: forAudit(changed) }),
    }),
    world.ids.next(),
  ]
}

/** The audit log is never erased, so it holds what was corrected of the payment, and nothing that the merchant says of a buyer. */
function forAudit({ before, after }: Correction['changed']): Record<string, unknown> {
  const { metadata: _, external_identifier: __, ...was } = before
  const { metadata: ___, external_identifier: ____, ...is } = after
  return { before: was, after: is }
}
