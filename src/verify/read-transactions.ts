import type { Statements } from '../database/statements.ts'
import type { OperationRow } from '../operations/operation.ts'
import type { OverCapture } from '../transactions/actions/over-capture.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'

const transactionColumns = [
  'merchant_account_id',
  'id',
  'status',
  'intent',
  'intent_outcome',
  'currency',
  'amount',
  'authorized_amount',
  'captured_amount',
  'refunded_amount',
  'capture_reserved',
  'refund_reserved',
  'over_capture_allowance',
  'event_count',
  'capture_closed',
  'active_operation_id',
  'payment_service_id',
  'payment_service_transaction_id',
  'error_code',
  'pending_review',
  'gift_cards',
  'anti_fraud',
  'payment_link_id',
  'reauthorized_from_transaction_id',
  'buyer_approval_timedout_at',
  'authorized_at',
  'captured_at',
  'voided_at',
  'canceled_at',
] as const satisfies readonly (keyof TransactionRow)[]

const operationColumns = [
  'id',
  'kind',
  'status',
  'amount',
  'effective_amount',
  'currency',
  'payment_service_id',
  'payment_service_operation_id',
  'payment_service_transaction_id',
  'error_code',
  'check_at',
  'settled_at',
  'journal_position',
] as const satisfies readonly (keyof OperationRow)[]

/** The columns of an operation from which the transaction is computed. */
export type JournaledOperation = Pick<OperationRow, (typeof operationColumns)[number] | 'input'> & {
  /** The decision of the anti-fraud service, for a screening. */
  raw_response_code: string | null
}

/** A transaction with its operations, oldest first, and the other rows that must agree with it. */
export type JournaledTransaction = Pick<TransactionRow, (typeof transactionColumns)[number]> & {
  payment_method: object | null
  operations: JournaledOperation[]
  /** The payment itself waited for its buyer (`BuyerApproval.in_payment`). */
  in_payment: boolean
  /** The amount of its payment link; null: it has none. */
  link: { amount: number; currency: string } | null
  /** By how much its account allows captures to exceed an authorization. */
  account: OverCapture | null
}

const BATCH = 500

// without the cart of a capture's `input`, which may be long
const selectJournaled = (which: string) => `
select row_to_json(checked) as transaction
  from (
    select ${transactionColumns.map((column) => `t.${column}`).join(', ')},
           case when t.payment_method is not null then '{}'::json end as payment_method,
           coalesce((t.approval->>'in_payment')::boolean, false) as in_payment,
           (select json_build_object('amount', l.amount, 'currency', l.currency) from payment_links l
             where l.merchant_account_id = t.merchant_account_id and l.id = t.payment_link_id) as link,
           (select json_build_object('over_capture_amount', a.over_capture_amount, 'over_capture_percentage', a.over_capture_percentage)
              from merchant_accounts a where a.id = t.merchant_account_id) as account,
           (select coalesce(json_agg(o order by o.id), '[]')
              from (select ${operationColumns.join(', ')}, input - 'cart_items' - 'airline' as input, facts->>'raw_response_code' as raw_response_code
                      from operations
                     where merchant_account_id = t.merchant_account_id and transaction_id = t.id) o) as operations
      from transactions t
     ${which}
  ) checked`

const batch = (which: string, size: number) =>
  selectJournaled(`where (t.merchant_account_id, t.id) > ($1, $2::uuid)${which}
     order by t.merchant_account_id, t.id
     limit ${size}`)
const selectBatch = batch('', BATCH)
/** Small, since the process serves payments meanwhile. */
const BATCH_BESIDE_PAYMENTS = 50
const selectBatchBelow = batch('\n       and t.id < $3::uuid', BATCH_BESIDE_PAYMENTS)
const selectOne = selectJournaled('where t.merchant_account_id = $1 and t.id = $2::uuid')

/** One transaction of an account. Undefined: there is none. */
export async function readJournaledTransaction(
  run: Statements,
  account: string,
  id: string,
): Promise<JournaledTransaction | undefined> {
  const [row] = await run<{ transaction: JournaledTransaction }>(selectOne, [account, id])
  return row?.transaction
}

/**
 * Reads every transaction, a batch at a time. Each batch is one snapshot, so that a running service causes no
 * differences. `below`: those with lower ids alone.
 */
export async function* readTransactions(
  run: Statements,
  below?: string,
): AsyncGenerator<JournaledTransaction> {
  const [statement, size, bound] =
    below === undefined ? [selectBatch, BATCH, []] : [selectBatchBelow, BATCH_BESIDE_PAYMENTS, [below]]
  let last = { merchant_account_id: '', id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const rows = await run<{ transaction: JournaledTransaction }>(statement, [
      last.merchant_account_id,
      last.id,
      ...bound,
    ])
    for (const { transaction } of rows) yield transaction
    const end = rows.at(-1)
    if (!end || rows.length < size) return
    last = end.transaction
  }
}
