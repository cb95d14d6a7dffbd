import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ResourceTarget } from '../database/tables/events.ts'
import type { Tables } from '../database/tables.ts'
import { eraser } from './erased-rows.ts'

/** The index `events_of_people`, word by word: the planner takes it for nothing else. */
const person = sql`coalesce(target #>> '{buyer,id}', target ->> 'buyer_id', target ->> 'id')`
const tellsOfPeople = sql`(name like 'buyer.%' or name like 'shipping-details.%' or name like 'payment-method.%' or name like 'gift-card.%' or name like 'payout.%' or name like 'payment-link.%')`

const EventTarget = { title: 'EventTarget', type: 'object' }
const ofTarget = eraser(EventTarget)

const BATCH = 200

interface Kept {
  position: number
  sequence: number
  id: string
  target: ResourceTarget
}

/** Answers the ids of the resources that events about these people were about: a stored card that is gone is found by them alone. `keys`: ids of buyers, or of resources without one. */
export async function eraseEventsOfPeople(db: Kysely<Tables>, account: string, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return []
  return eraseEvents(db, account, sql`${tellsOfPeople} and ${person} = any(${keys}::text[])`)
}

/** Of a payment's events: metadata, the only member that may tell of a person. */
export async function eraseEventsOfPayment(db: Kysely<Tables>, account: string, transaction: string): Promise<void> {
  await eraseEvents(db, account, sql`name like 'transaction.%' and target ->> 'metadata' is not null and target_id = ${transaction}`)
}

async function eraseEvents(db: Kysely<Tables>, account: string, which: RawBuilder<unknown>): Promise<string[]> {
  const targets = new Set<string>()
  let after = -1
  for (;;) {
    const rows: Kept[] = await eventsAfter(db, account, which, after)
    const erased = rows.flatMap(({ target, ...place }) => {
      const changed = ofTarget(target)
      return JSON.stringify(changed) === JSON.stringify(target) ? [] : [{ ...place, target: changed }]
    })
    for (const { target } of rows) targets.add(target.id)
    if (erased.length > 0) await rewrite(db, account, erased)
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return [...targets]
    // events of one position are read together
    after = last.position
  }
}

/** A batch of them, up to the last one of its position. */
async function eventsAfter(db: Kysely<Tables>, account: string, which: RawBuilder<unknown>, after: number): Promise<Kept[]> {
  const { rows } = await sql<Kept>`
    select position, sequence, id, target
      from events
     where merchant_account_id = ${account} and ${which} and position > ${after}
     order by position
     fetch first ${sql.lit(BATCH)} rows with ties`.execute(db)
  return rows
}

const rewrite = (db: Kysely<Tables>, account: string, events: readonly Kept[]) =>
  sql`
    update events e set target = erased.target
      from json_to_recordset(${JSON.stringify(events)}::json) erased (position bigint, sequence int, id uuid, target json)
     where e.merchant_account_id = ${account} and e.position = erased.position and e.sequence = erased.sequence and e.id = erased.id`.execute(db)

/** What receivers answered to deliveries about these resources: they may have repeated what they were sent. */
export async function eraseDeliveries(db: Kysely<Tables>, account: string, targets: readonly string[]): Promise<void> {
  if (targets.length === 0) return
  await sql`
    update webhook_deliveries
       set history = (select jsonb_agg(attempt || '{"response": null}' order by at) from jsonb_array_elements(history) with ordinality attempts (attempt, at))
     where merchant_account_id = ${account} and target_id = any(${targets}::uuid[])
       and jsonb_path_exists(history, '$[*].response ? (@ != null)')`.execute(db)
}
