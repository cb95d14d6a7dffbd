import { lateFailureKindsInSql, openStatusesInSql } from '../operations/operation.ts'
import { check, comparisonSql, finalStatusesInSql, retiredBelow, type TableCheck } from './finding.ts'

const open = `o.status in ${openStatusesInSql}`
const final = `o.status in ${finalStatusesInSql}`

const mayNotBeLate = `not case o.status when 'approved' then o.kind in ${lateFailureKindsInSql} else o.kind in ('authorize', 'sale', 'payout') end`

/** Invariants of each single operation, of payments and payouts. */
export const operationInvariants = check(
  comparisonSql('o.merchant_account_id', 'o.transaction_id', 'operations o', [
    // recovery finds open operations by this time; a decided screening has one for the step after a review
    [
      'undecided operation that is never looked at',
      `case when ${open} then o.id end`,
      `case when ${open} and o.check_at is not null then o.id end`,
    ],
    // and a payment of which a notification told otherwise, until the books tell
    [
      'decided operation that is looked at again',
      `case when ${final} and o.kind <> 'screening' and (o.late_notice_at is null or ${mayNotBeLate}) then o.check_at end`,
      'null',
    ],
    ['operation: when it was decided', `${final}`, 'o.settled_at is not null'],
    [
      'undecided operation with a place in the journal',
      `case when ${open} then o.journal_position end`,
      'null',
    ],
    [
      'operation: what took effect',
      `o.status = 'approved' and o.kind <> 'correction'`,
      'o.effective_amount is not null',
    ],
    // an authorization may be approved in part, and a buyer who chooses the shipping changes the approved
    // amount
    [
      'operation: part of it took effect',
      `case when o.status = 'approved' and o.kind not in ('approval', 'correction', 'authorize', 'sale') then o.effective_amount end`,
      `case when o.status = 'approved' and o.kind not in ('approval', 'correction', 'authorize', 'sale') then o.amount end`,
    ],
    [
      'operation: more of it took effect',
      `o.kind in ('authorize', 'sale') and coalesce(o.effective_amount > o.amount, false)`,
      'false',
    ],
    ['operation: error code', `o.status in ('declined', 'failed')`, 'o.error_code is not null'],
    [
      'approved operation without an id at the payment service',
      `case when o.status = 'approved' and o.kind in ('authorize', 'sale', 'capture', 'refund', 'payout') then coalesce(o.payment_service_operation_id, 'nothing') end`,
      `case when o.status = 'approved' and o.kind in ('authorize', 'sale', 'capture', 'refund', 'payout') then coalesce(o.payment_service_operation_id, 'an id') end`,
    ],
  ]),
)

export const orphanOperations = check(`
select o.merchant_account_id, o.transaction_id, 'operation without a transaction' as problem, o.id::text as stored, 'nothing' as computed
  from operations o
  left join transactions t on t.merchant_account_id = o.merchant_account_id and t.id = o.transaction_id
 where t.id is null and o.kind <> 'payout'
union all
select o.merchant_account_id, o.transaction_id, 'operation without a payout', o.id::text, 'nothing'
  from operations o
  left join payouts p on p.merchant_account_id = o.merchant_account_id and p.id = o.transaction_id
 where p.id is null and o.kind = 'payout'`)

/** No two payments or payouts name the same charge at the payment service. */
export const sharedCharges = check(`
select merchant_account_id, (array_agg(transaction_id order by id))[1] as transaction_id, 'charge at the payment service of several payments' as problem,
       payment_service_operation_id as stored, count(distinct transaction_id)::text as computed
  from operations
 where status = 'approved' and kind in ('authorize', 'sale', 'capture', 'refund', 'payout') and payment_service_operation_id is not null
 group by merchant_account_id, payment_service_id, payment_service_operation_id
having count(distinct transaction_id) > 1
union all
select merchant_account_id, (array_agg(id order by id))[1], 'payment at the payment service of several transactions', payment_service_transaction_id, count(*)::text
  from transactions
 where payment_service_transaction_id is not null and authorized_at is not null
 group by merchant_account_id, payment_service_id, payment_service_transaction_id
having count(*) > 1`)

/** A payment that another one has renewed cannot be captured any more (semantics §3.5). */
export const capturedAfterRenewal = check(`
select later.merchant_account_id, later.reauthorized_from_transaction_id as transaction_id, 'renewed by another payment, and open' as problem, 'open' as stored,
       coalesce(later.id::text, 'nothing') as computed
  from transactions later
  left join transactions earlier on earlier.merchant_account_id = later.merchant_account_id and earlier.id = later.reauthorized_from_transaction_id
 where later.reauthorized_from_transaction_id is not null
   and later.reauthorized_from_transaction_id >= ${retiredBelow}
   and (earlier.id is null or (later.status <> 'authorization_failed' and not earlier.capture_closed))`)

/**
 * An operation that moved money after it had failed, and the compensation of that money: each names the other.
 */
export const lateCompensations = check(`
select o.merchant_account_id, o.transaction_id, 'late approval without its compensation' as problem, o.compensated_by::text as stored,
       coalesce(c.input->>'undoes', 'nothing') as computed
  from operations o
  left join operations c on c.merchant_account_id = o.merchant_account_id and c.id = o.compensated_by
 where o.compensated_by is not null
   and (c.id is null
        or c.input->>'undoes' is distinct from o.id::text
        or c.transaction_id <> o.transaction_id
        or c.payment_service_id is distinct from o.payment_service_id
        or c.kind <> case o.kind when 'sale' then 'refund' else 'void' end
        or o.kind not in ('authorize', 'sale')
        or o.status not in ('declined', 'failed'))
union all
select c.merchant_account_id, c.transaction_id, 'compensation of no late approval', c.id::text, coalesce(o.compensated_by::text, 'nothing')
  from operations c
  left join operations o on o.merchant_account_id = c.merchant_account_id and o.transaction_id = c.transaction_id and o.id::text = c.input->>'undoes'
 where c.kind in ('void', 'refund')
   and c.input->>'undoes' <> 'true'
   and o.compensated_by is distinct from c.id`)

/** An operation that failed after it had succeeded, and the row that takes its amounts back. */
export const lateFailures = check(`
select coalesce(o.merchant_account_id, f.merchant_account_id) as merchant_account_id, coalesce(o.transaction_id, f.transaction_id) as transaction_id,
       'late failure of an operation' as problem, coalesce(o.late_failure->>'code', 'nothing') as stored, coalesce(f.error_code, 'nothing') as computed
  from (select * from operations where late_failure is not null) o
  full join (select * from operations where kind = 'late-failure') f
    on f.merchant_account_id = o.merchant_account_id
   and f.input->>'undoes' = o.id::text
   and f.transaction_id = o.transaction_id
   and f.payment_service_id is not distinct from o.payment_service_id
   and f.amount = o.effective_amount
   and f.input#>>'{failed,kind}' = o.kind
   and f.input->>'redemption' is not distinct from o.input->>'redemption'
   and (f.input#>>'{failed,final}')::boolean = coalesce((o.input->>'final')::boolean, true)
   and f.status = 'failed'
   and o.status = 'approved'
   and o.kind in ${lateFailureKindsInSql}
 where o.id is null
    or f.id is null
    or o.late_failure->>'code' is distinct from f.error_code
union all
select merchant_account_id, (array_agg(transaction_id))[1], 'operation that failed several times', input->>'undoes', count(*)::text
  from operations
 where kind = 'late-failure'
 group by merchant_account_id, input->>'undoes'
having count(*) > 1`)

/** Recovery looks at an undecided operation at least every ten minutes. */
const MAX_WAIT_MS = 3_600_000

export const neverRecovered = ({ now }: { now: number }): TableCheck =>
  check(
    `
select o.merchant_account_id, o.transaction_id, 'undecided operation that is not looked at for long' as problem, o.check_at::text as stored, 'within an hour' as computed
  from operations o
  left join account_clocks c on c.merchant_account_id = o.merchant_account_id
 where o.check_at > $1::timestamptz + coalesce(c.ahead_ms, 0) * interval '1 millisecond'`,
    [new Date(now + MAX_WAIT_MS).toISOString()],
  )
