import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { currentTimeValues } from '../base/account-clock.ts'
import { timeOf } from '../base/clock.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { auditEntry, auditEntrySql } from '../database/logs/audit-log.ts'
import { namedStatement } from '../database/named-statement.ts'
import { selectDueSql } from '../database/select-due.ts'
import { writeLinkEvent } from '../operations/journal/payment-link.sql.ts'
import type { World } from '../world.ts'

const expireActiveLink = namedStatement(
  ['account', 'link', 'now', 'event', 'auditEntry'],
  (p) => `
with link_moved as (
  update payment_links
     set status = 'expired',
         updated_at = ${p.now}::timestamptz
   where merchant_account_id = ${p.account}
     and id = ${p.link}
     and status = 'active'
  returning *
), ${writeLinkEvent(`${p.event}::uuid`)}, audited as (${auditEntrySql('link_moved', p.auditEntry, { name: 'link_moved.external_identifier' })}
)
select 1 as one from link_moved`,
)

/** Expires a link at the merchant's request. False: there is no such link, or it is not active. */
export async function expirePaymentLink(world: World, account: string, id: string): Promise<boolean> {
  const expired = await expireActiveLink.run(world, {
    account,
    link: id,
    now: timeOf(world.clock),
    event: world.ids.next(),
    auditEntry: auditEntry(world, { action: 'updated', resource: { type: 'payment-link', id, name: null } }),
  })
  return expired.length > 0
}

const expireNextDueLink = `
with due as (${selectDueSql({
  table: 'payment_links',
  key: ['merchant_account_id', 'id'],
  condition: `status = 'active' and expires_at <= $1::timestamptz`,
  orderBy: 'expires_at',
  limit: 1,
  timeParameter: 3,
})}
), link_moved as (
  update payment_links l
     set status = 'expired',
         updated_at = $1::timestamptz
    from due
   where l.merchant_account_id = due.merchant_account_id
     and l.id = due.id
  returning l.*
), ${writeLinkEvent('$2::uuid')}
select 1 as one from link_moved`

/**
 * Writes the status of links whose time is over, with their events. Readers do not need it: `selectLinks`
 * shows such a link as expired already. Answers how many links it has written.
 */
export async function expireDueLinks(world: World, stopped: () => boolean = () => false): Promise<number> {
  for (let count = 0; ; count++) {
    if (stopped()) return count
    const expired = await world.run(expireNextDueLink, [
      timeOf(world.clock),
      world.ids.next(),
      ...currentTimeValues(),
    ])
    if (expired.length === 0) return count
  }
}

export const startLinkExpiry = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => expireDueLinks(world, stopped)),
    (error) =>
      world.log.error({ err: error }, 'payment links could not be expired; the next round tries again'),
  )
