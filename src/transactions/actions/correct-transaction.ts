import { isDeepStrictEqual } from 'node:util'
import { ApiError, badRequest, invalid, tooEarly } from '../../api/errors.ts'
import { refuseBeyondCeiling } from '../../api/server/validation.ts'
import { isMetadataTooLarge } from '../../api/values/metadata.ts'
import { timeOf } from '../../base/clock.ts'
import { redactor } from '../../connectors/wire/redact.ts'
import { auditEntry } from '../../database/logs/audit-log.ts'
import { refusedBy } from '../../database/postgres/constraint.ts'
import { timelineParameters } from '../../operations/journal/journal.ts'
import { newOperation } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { outboxEvent } from '../outbox.ts'
import { timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { TransactionUpdate } from '../transaction.schema.ts'
import { readTransaction } from '../transaction.store.ts'
import { type CorrectionParameters, correctionFunction, selectHasOpenOperation } from './correction.sql.ts'
import { refuseContradictions } from './correction-rules.ts'

const MAX_TRIES = 20

/**
 * Whether a request sets amounts or the status, which needs the scope `transactions.correct` (semantics
 * §0.14).
 */
export const correctsMoney = (input: TransactionUpdate): boolean =>
  moneyFields.some((field) => input[field] !== undefined && input[field] !== null)

/**
 * Corrects Railyard's books; the payment service gets no request (semantics §3.9). The route has checked the
 * caller's scopes. A request that changes nothing writes nothing. Throws 400 if the result contradicts
 * itself, 425 if the payment's outcome is still open.
 */
export async function correctTransaction(
  world: World,
  account: string,
  id: string,
  input: TransactionUpdate,
): Promise<TransactionRow> {
  if (input.metadata && isMetadataTooLarge(input.metadata))
    throw invalid({ '/metadata': 'may hold 50 pairs, with keys of 100 and values of 500 characters' })
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const row = await readTransaction(world, account, id)
    for (const field of amountFields) refuseBeyondCeiling(field, input[field], row.currency)
    const changes = changesOf(row, input)
    if (changes.fields.length === 0) return row
    if (row.active_operation_id) throw tooEarly()
    if (changes.money) await refuseMoneyCorrection(world, row, input)
    const corrected = await correctionFunction
      .call<TransactionRow | null>(world, correctionParameters(world, row, input, changes))
      .catch(refuseBrokenConstraint)
    if (corrected) return corrected
  }
  throw tooEarly()
}

/**
 * Throws 425 while the outcome of the payment is open, since that outcome changes the amounts and the status;
 * 400 for a contradiction.
 */
async function refuseMoneyCorrection(
  world: World,
  row: TransactionRow,
  input: TransactionUpdate,
): Promise<void> {
  if (row.status === 'buyer_approval_pending') throw stillPending('the buyer’s approval is pending')
  if (row.pending_review) throw stillPending('a review is pending')
  const [found] = await selectHasOpenOperation.run<{ pending: boolean }>(world, {
    account: row.merchant_account_id,
    transaction: row.id,
  })
  if (found?.pending) throw stillPending('an operation on it is pending')
  refuseContradictions(row, input)
}

const stillPending = (reason: string) =>
  new ApiError(425, 'too_early', `Amounts and the status cannot be corrected while ${reason}`)

/** 400 for a correction that a constraint of the table refuses. */
function refuseBrokenConstraint(error: unknown): never {
  const rules: Record<string, string> = {
    captured_within_authorization: 'The captured amount may not exceed the authorized amount',
    refunded_within_capture: 'The captured amount may not be less than what has been refunded',
  }
  const rule = rules[refusedBy(error) ?? '']
  throw rule ? badRequest(rule) : error
}

const amountFields = ['amount', 'authorized_amount', 'captured_amount'] as const
const moneyFields = ['status', ...amountFields] as const
const otherFields = ['payment_service_transaction_id', 'external_identifier', 'metadata'] as const

/** Connection options as they are stored: without card numbers. */
const storedConnectionOptions = ({ connection_options: options }: TransactionUpdate): unknown =>
  options ? redactor(undefined)(options) : null

interface Changes {
  /** The members that differ from the row. */
  fields: string[]
  before: Record<string, unknown>
  after: Record<string, unknown>
  /** The amounts and the status that change, for the audit log; undefined: none of them does. */
  money: { before: Record<string, unknown>; after: Record<string, unknown> } | undefined
}

function changesOf(row: TransactionRow, input: TransactionUpdate): Changes {
  // null leaves an amount and the status as they are, and clears everything else
  const money = moneyFields.filter(
    (field) => input[field] !== undefined && input[field] !== null && input[field] !== row[field],
  )
  const others = otherFields.filter(
    (field) => input[field] !== undefined && !isDeepStrictEqual(input[field], row[field]),
  )
  const optionsChange =
    input.connection_options !== undefined &&
    !isDeepStrictEqual(storedConnectionOptions(input), row.details.connection_options ?? null)
  const valuesOf = (fields: readonly (typeof moneyFields | typeof otherFields)[number][]) => ({
    before: Object.fromEntries(fields.map((field) => [field, row[field]])),
    after: Object.fromEntries(fields.map((field) => [field, input[field] ?? null])),
  })
  return {
    fields: [...money, ...others, ...(optionsChange ? ['connection_options'] : [])],
    ...valuesOf([...money, ...others]),
    money: money.length > 0 ? valuesOf(money) : undefined,
  }
}

function correctionParameters(
  world: World,
  row: TransactionRow,
  input: TransactionUpdate,
  { before, after, money }: Changes,
): CorrectionParameters {
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
    { status: 'approved', settled_at: now, input: { before, after } },
  )
  const isSet = (field: keyof TransactionUpdate) => input[field] !== undefined
  return {
    account: row.merchant_account_id,
    transaction: row.id,
    status: after['status'] ?? null,
    amount: input.amount ?? null,
    authorizedAmount: input.authorized_amount ?? null,
    capturedAmount: input.captured_amount ?? null,
    setsServiceTransactionId: isSet('payment_service_transaction_id'),
    serviceTransactionId: input.payment_service_transaction_id ?? null,
    setsExternalIdentifier: isSet('external_identifier'),
    externalIdentifier: input.external_identifier ?? null,
    setsMetadata: isSet('metadata'),
    metadata: input.metadata ? JSON.stringify(input.metadata) : null,
    setsConnectionOptions: isSet('connection_options'),
    connectionOptions: input.connection_options ? JSON.stringify(storedConnectionOptions(input)) : null,
    now,
    updatedAtWhenRead: row.updated_at,
    operation: JSON.stringify(operation),
    timelineId: world.ids.next(),
    ...timelineParameters(world, [timelineEntry(world, 'transaction-modified-event', { before, after })]),
    eventId: outboxEvent(world, 'transaction.modified').id,
    auditEntry: auditEntry(world, {
      action: 'updated',
      resource: { type: 'transaction', id: row.id, name: null },
    }),
    linkEventId: world.ids.next(),
    moneyChanges: money ? JSON.stringify(money) : null,
  }
}
