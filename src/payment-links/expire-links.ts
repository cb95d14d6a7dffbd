import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import { timeOf } from '../base/clock.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { auditEntry, auditEntrySql } from '../database/logs/audit-log.ts'
import { writeLinkEvent } from '../operations/journal/payment-link.sql.ts'
import type { World } from '../world.ts'

const expireOne = `
with link_moved as (
  update payment_links set status = 'expired', updated_at = $3::timestamptz
   where merchant_account_id = $1 and id = $2 and status = 'active'
  returning *
), ${writeLinkEvent('$4::uuid')}, audited as (${auditEntrySql('link_moved', '$5', { name: 'link_moved.external_identifier' })}
)
select 1 as one from link_moved`

/** What a merchant asks for. False: there is no such link, or it cannot expire any more. */
export async function expirePaymentLink(world: World, account: string, id: string): Promise<boolean> {
  const audit = auditEntry(world, { action: 'updated', resource: { type: 'payment-link', id, name: null } })
  const moved = await world.run(expireOne, [account, id, timeOf(world.clock), world.ids.next(), audit])
  return moved.length > 0
}

const expireDue = `
with due as (
  select merchant_account_id, id from payment_links where status = 'active' and expires_at <= $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 3)}
   order by expires_at limit 1 for update skip locked
), link_moved as (
  update payment_links l set status = 'expired', updated_at = $1::timestamptz
    from due where l.merchant_account_id = due.merchant_account_id and l.id = due.id
  returning l.*
), ${writeLinkEvent('$2::uuid')}
select 1 as one from link_moved`

/** Readers see by the time that a link has expired; this writes it, and tells the merchant's systems. Answers how many links it was. */
export async function expireDueLinks(world: World, stopped: () => boolean = () => false): Promise<number> {
  for (let expired = 0; ; expired++) {
    if (stopped()) return expired
    const moved = await world.run(expireDue, [timeOf(world.clock), world.ids.next(), ...currentTimeValues()])
    if (moved.length === 0) return expired
  }
}

export const startLinkExpiry = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => expireDueLinks(world, stopped)),
    (error) => world.log.error({ err: error }, 'payment links could not be expired'),
  )
