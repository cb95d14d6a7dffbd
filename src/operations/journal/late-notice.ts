import { timeOf } from '../../base/clock.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { ofPayment } from '../../database/partitions/payment-partitions.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'

/**
 * A decided operation of which a verified notification says that its outcome may be another one by now. The
 * row is the job: recovery looks at it once more, and as long as the books cannot be read, again.
 */
const noteStatement = namedStatement(
  ['account', 'id', 'transaction', 'now'],
  (p) => `
update ${ofPayment('operations', p.transaction)}
   set late_notice_at = ${p.now}::timestamptz,
       check_at = ${p.now}::timestamptz
 where merchant_account_id = ${p.account}
   and id = ${p.id}
   and transaction_id = ${p.transaction}
   and settled_at is not null
   and compensated_by is null`,
)

/** Recovery looks at the decided operation once more, at once. */
export async function noteLateNotice(world: World, operation: OperationRow): Promise<void> {
  await noteStatement.run(world, {
    account: operation.merchant_account_id,
    id: operation.id,
    transaction: operation.transaction_id,
    now: timeOf(world.clock),
  })
}

/**
 * An operation without an outcome of which a verified notification tells. An outcome that may not be the last
 * makes it due at once (`mayBeOutdated` in `functions/record-outcome.sql.ts`). Only the first notification is
 * noted, so that many cost one look-up.
 */
const noteEarlyStatement = namedStatement(
  ['account', 'id', 'transaction', 'status', 'now'],
  (p) => `
update ${ofPayment('operations', p.transaction)}
   set late_notice_at = ${p.now}::timestamptz
 where merchant_account_id = ${p.account}
   and id = ${p.id}
   and transaction_id = ${p.transaction}
   and status = ${p.status}
   and late_notice_at is null
returning id`,
)

/** False: the operation has another status than it was read with, or it has been noted before. */
export async function noteEarlyNotice(world: World, operation: OperationRow): Promise<boolean> {
  const noted = await noteEarlyStatement.run(world, {
    account: operation.merchant_account_id,
    id: operation.id,
    transaction: operation.transaction_id,
    status: operation.status,
    now: timeOf(world.clock),
  })
  return noted.length > 0
}

/** `checkAt`: null: never again. A notice that came after the books were read has its own look. */
const scheduleStatement = namedStatement(
  ['account', 'id', 'transaction', 'noticeAt', 'checkAt'],
  (p) => `
update ${ofPayment('operations', p.transaction)}
   set check_at = ${p.checkAt}::timestamptz
 where merchant_account_id = ${p.account}
   and id = ${p.id}
   and transaction_id = ${p.transaction}
   and settled_at is not null
   and late_notice_at = ${p.noticeAt}::timestamptz
   and check_at is not null`,
)

/** When recovery looks at a decided operation again after this look; null: never, unless a notice comes. */
export async function scheduleLateLookup(
  world: World,
  operation: OperationRow,
  checkAt: string | null,
): Promise<void> {
  await scheduleStatement.run(world, {
    account: operation.merchant_account_id,
    id: operation.id,
    transaction: operation.transaction_id,
    noticeAt: operation.late_notice_at ?? null,
    checkAt,
  })
}
