import type { StoredNotice } from '../../connectors/contract/call.ts'
import type { Notice } from '../../connectors/contract/connector.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { World } from '../../world.ts'
import type { OperationRow } from '../operation.ts'

const insertNotice = namedStatement(
  ['account', 'service', 'id', 'subject', 'body', 'now'],
  (p) => `
insert into provider_notices (merchant_account_id, payment_service_id, id, subject, body, received_at)
values (${p.account}, ${p.service}, ${p.id}, ${p.subject}, ${p.body}::jsonb, ${p.now}::timestamptz)
on conflict (merchant_account_id, payment_service_id, id) do nothing
returning 1 as one`,
)

const selectNotices = namedStatement(
  ['account', 'service', 'operation', 'payment'],
  (p) => `
select body, to_json(received_at)#>>'{}' as received_at
  from provider_notices
 where merchant_account_id = ${p.account}
   and payment_service_id = ${p.service}
   and subject in (${p.operation}, ${p.payment})
 order by received_at, id`,
)

/** What a notice is about: an operation by its id, or a payment by the id that the payment service gave it. */
export interface NoticeSubject {
  account: string
  service: string
  subject: string
}

/** Keeps a verified notice of a payment service; false: it was kept before. */
export async function keepNotice(
  world: World,
  { account, service, subject }: NoticeSubject,
  { id, body }: Notice,
): Promise<boolean> {
  const rows = await insertNotice.run(world, {
    account,
    service,
    id: id.slice(0, 200),
    subject,
    body: JSON.stringify(body),
    now: new Date(world.clock.now()).toISOString(),
  })
  return rows.length > 0
}

/** The notices about an operation, and about its payment, in the order in which they arrived. */
export async function readNotices(
  world: World,
  { merchant_account_id: account, payment_service_id: service, id: operation }: OperationRow,
  payment: string | null,
): Promise<readonly StoredNotice[]> {
  return selectNotices.run<StoredNotice>(world, { account, service, operation, payment: payment ?? '' })
}
