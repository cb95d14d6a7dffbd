import { timeOf } from '../base/clock.ts'
import { newOperation, type OperationInput, type OperationRow } from '../operations/operation.ts'
import { operationDeadline } from '../operations/operation-times.ts'
import type { World } from '../world.ts'
import { sealApprovalToken } from './approval/approval-token.ts'
import type { TransactionRow } from './transaction.row.ts'

/** An operation of a transaction, before it has an id and a deadline. */
export interface OperationPlan {
  kind: OperationRow['kind']
  amount: number
  /** Absent: the payment service of the transaction. Null: none, since a gift card service is asked. */
  paymentServiceId?: string | null
  input?: OperationInput
  /** What a buyer's approval brought; the journal keeps it sealed for this operation. */
  approvalToken?: string | undefined
  /** True: recovery sends it, at once. Absent: the process that intends it does. */
  isQueued?: boolean
}

/**
 * Whose idempotency key the operation's outcome answers; an operation that follows another one takes over its
 * key.
 */
type KeyHolder = Partial<Pick<OperationRow, 'idempotency_scope' | 'idempotency_key'>>

/** The row of a planned operation of this transaction. `createdAt`: ISO 8601; absent: now. */
export function newOperationOn(
  world: World,
  row: Pick<TransactionRow, 'merchant_account_id' | 'id' | 'currency' | 'payment_service_id'>,
  {
    kind,
    amount,
    paymentServiceId = row.payment_service_id,
    input,
    approvalToken,
    isQueued = false,
  }: OperationPlan,
  { idempotency_scope = null, idempotency_key = null }: KeyHolder = {},
  createdAt: string = timeOf(world.clock),
): OperationRow {
  const id = world.ids.next()
  return newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id,
      transaction_id: row.id,
      kind,
      amount,
      currency: row.currency,
      payment_service_id: paymentServiceId,
      check_at: isQueued ? createdAt : operationDeadline(world, kind),
      created_at: createdAt,
    },
    {
      status: isQueued ? 'queued' : 'sent',
      input: {
        ...input,
        ...(approvalToken !== undefined && { approval_token: sealApprovalToken(world, id, approvalToken) }),
      },
      idempotency_scope,
      idempotency_key,
    },
  )
}
