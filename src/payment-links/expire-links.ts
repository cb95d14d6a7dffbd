import { runInEachAccountTime } from '../accounts/merchant-accounts/account-clock.store.ts'
import { currentTimeValues, isInCurrentTimeSql } from '../base/account-clock.ts'
import { timeOf } from '../base/clock.ts'
import { type PeriodicTask, startPeriodicTask } from '../base/periodic-task.ts'
import { auditEntry } from '../database/logs/audit-log.ts'
import { sqlFunction } from '../database/sql-function.ts'
import { insertAuditEntries } from '../operations/journal/functions/journal-steps.sql.ts'
import { insertLinkEvent } from '../operations/journal/functions/payment-link.sql.ts'
import type { World } from '../world.ts'

/** Expires a link; it returns `unchanged` if there is no such link, or it is not active any more. */
const expireLink = sqlFunction({
  name: 'expire_payment_link',
  parameters: {
    account: 'text',
    link: 'uuid',
    now: 'timestamptz',
    /** Only a link whose time is over by then; null: any. */
    dueBy: 'timestamptz',
    event: 'uuid',
    auditEntry: 'jsonb',
  },
  returns: 'text',
  body: (p) => `
declare
  link payment_links;
  link_sequence int;
  entry record;
begin
  update payment_links
     set status = 'expired',
         updated_at = ${p.now}
   where merchant_account_id = ${p.account}
     and id = ${p.link}
     and status = 'active'
     and (${p.dueBy} is null or expires_at <= ${p.dueBy})
  returning * into link;
  if not found then return 'unchanged'; end if;${insertLinkEvent({
    link: 'link',
    sequence: 'link_sequence',
    event: p.event,
  })}${insertAuditEntries(p.account, p.auditEntry, 'link.external_identifier')}
  return 'expired';
end`,
})

/** Expires a link at the merchant's request. False: there is no such link, or it is not active. */
export async function expirePaymentLink(world: World, account: string, id: string): Promise<boolean> {
  const result = await expireLink.call<'expired' | 'unchanged'>(world, {
    account,
    link: id,
    now: timeOf(world.clock),
    dueBy: null,
    event: world.ids.next(),
    auditEntry: auditEntry(world, { action: 'updated', resource: { type: 'payment-link', id, name: null } }),
  })
  return result === 'expired'
}

const selectDueLinks = `
select merchant_account_id, id
  from payment_links
 where status = 'active'
   and expires_at <= $1::timestamptz
   and ${isInCurrentTimeSql('merchant_account_id', 2)}
 order by expires_at
 limit 100`

/**
 * Writes the status of links whose time is over, with their events. Readers do not need it: `selectLinks`
 * shows such a link as expired already. Answers how many links it has written.
 */
export async function expireDueLinks(world: World, stopped: () => boolean = () => false): Promise<number> {
  for (let count = 0; ; ) {
    const now = timeOf(world.clock)
    const due = await world.run<{ merchant_account_id: string; id: string }>(selectDueLinks, [
      now,
      ...currentTimeValues(),
    ])
    if (due.length === 0) return count
    for (const { merchant_account_id: account, id } of due) {
      if (stopped()) return count
      const event = world.ids.next()
      const given = { account, link: id, now, dueBy: now, event, auditEntry: null }
      // another process may have been faster
      if ((await expireLink.call<'expired' | 'unchanged'>(world, given)) === 'expired') count += 1
    }
  }
}

export const startLinkExpiry = (world: World): PeriodicTask =>
  startPeriodicTask(
    world.settings.recoveryInterval,
    runInEachAccountTime(world, (stopped) => expireDueLinks(world, stopped)),
    (error) =>
      world.log.error({ err: error }, 'payment links could not be expired; the next round tries again'),
  )
