import { namedStatement } from '../../database/named-statement.ts'
import { selectDueSql } from '../../database/select-due.ts'

/**
 * Takes operations whose time has come, each for one process alone, and gives them a new time (`until`) in
 * case that process dies, too.
 */
export const claimDueOperations = namedStatement(
  ['now', 'until', 'limit', 'onlyAccount', 'movedAccounts'],
  (p) => `
with due as (${selectDueSql({
    table: 'operations',
    key: ['merchant_account_id', 'id'],
    condition: `check_at <= ${p.now}::timestamptz`,
    orderBy: 'check_at',
    limit: p.limit,
    timeParameter: 4,
  })}
)
update operations o
   set check_at = ${p.until}::timestamptz,
       checks = checks + 1
  from due
 where o.merchant_account_id = due.merchant_account_id
   and o.id = due.id
returning row_to_json(o) as operation`,
)

/**
 * An operation that is about to be sent. What was queued is on its way from then on, and recovery looks at it
 * at `deadline`.
 */
export const claimForSending = namedStatement(
  ['account', 'id', 'fromStatuses', 'deadline'],
  (p) => `
update operations
   set checks = checks + 1,
       check_at = case status when 'queued' then ${p.deadline}::timestamptz else check_at end,
       status = case status when 'queued' then 'sent' else status end
 where merchant_account_id = ${p.account}
   and id = ${p.id}
   and status = any(${p.fromStatuses}::text[])
returning row_to_json(operations) as operation`,
)

/** Looks again later at an operation whose outcome is still open. */
export const postponeRecovery = namedStatement(
  ['account', 'id', 'checkAt', 'openStatuses'],
  (p) => `
update operations
   set check_at = ${p.checkAt}::timestamptz
 where merchant_account_id = ${p.account}
   and id = ${p.id}
   and status = any(${p.openStatuses}::text[])`,
)
