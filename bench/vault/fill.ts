import { type Kysely, sql } from 'kysely'
import { openDatabase } from '../../src/database/open-database.ts'
import type { Tables } from '../../src/database/tables.ts'
import { readSettings } from '../../src/settings.ts'
import type { Place } from '../instance.ts'

/** One buyer in ten is another account's. */
const account = `case when n % 10 = 3 then 'other' else 'default' end`
const buyerId = `md5('buyer' || n)::uuid`
const made = (count: number) => `timestamptz '2025-01-01' + n * (interval '600 days' / ${count})`

const fillBuyers = (count: number) => `
insert into buyers (merchant_account_id, id, display_name, external_identifier, billing_details, created_at, updated_at)
select ${account}, ${buyerId}, 'Buyer ' || n, 'customer-' || n, jsonb_build_object(
         'first_name', 'Buyer', 'last_name', n::text, 'email_address', 'buyer' || n || '@example.com',
         'address', json_build_object('line1', n % 500 || ' High Street', 'city', 'London', 'country', 'GB', 'postal_code', 'SW1Y 4JH')),
       ${made(count)}, ${made(count)}
  from generate_series(1, ${count}) n`

/**
 * Two cards of each buyer, one in seven of which another buyer has too; most have been paid with. Their
 * secrets have the length of a card's and are none: nothing that is looked up here opens one.
 */
const fillMethods = (buyers: number) => `
insert into payment_methods (
  merchant_account_id, id, status, method, mode, buyer_id, external_identifier, label, scheme, bin, card_type, card_issuer_name, card_country,
  expiration_date, fingerprint, key_id, data_key, sealed, usage_count, cit_usage_count, last_used_at, cit_last_used_at, scheme_transaction_id,
  scheme_transaction_id_scheme, created_at, updated_at)
select ${account}, md5('method' || card)::uuid, case when card % 5 = 0 then 'processing' else 'succeeded' end, 'card', 'card', ${buyerId},
       case when card % 2 = 0 then 'card-' || card end, lpad((card % 10000)::text, 4, '0'), case when card % 3 = 0 then 'mastercard' else 'visa' end,
       (41111100 + card % 400)::text, 'credit', 'Example Bank', 'GB', '12/35', '1:' || number || number, '0123456789abcdef', decode(repeat(number, 4), 'hex'),
       decode(repeat(number, 3), 'hex'), card % 20, card % 15, ${made(buyers)}, ${made(buyers)}, 'SCHEME' || card, case when card % 3 = 0 then 'mastercard' else 'visa' end,
       ${made(buyers)} + (card % 2) * interval '1 hour', ${made(buyers)}
  from generate_series(1, ${buyers}) n, lateral generate_series(2 * n, 2 * n + 1) card,
       lateral (select md5('number' || case when card % 7 = 0 then card - 70 else card end) as number) as numbered`

/**
 * What the lookups ask for: spread over all of the account's rows. Lists have as many members as each other,
 * at every size.
 */
export interface Sample {
  ids: string[]
  externalIdentifiers: string[]
  buyerIds: string[]
  fingerprints: string[]
  /** In the middle of the list. */
  middle: { key: string; id: string }
}

const PICKED = 500

const sample = `
with mine as (
  select p.*, row_number() over (order by id) as at, count(*) over () as total from payment_methods p where merchant_account_id = 'default'
), picked as (
  select * from mine where at % greatest(total / ${PICKED}, 1) = 0 limit ${PICKED}
)
select json_agg(id) as "ids", json_agg(external_identifier) filter (where external_identifier is not null) as "externalIdentifiers",
       json_agg(buyer_id) as "buyerIds", json_agg(fingerprint) as "fingerprints",
       (select json_build_object('key', to_json(created_at), 'id', id) from payment_methods where merchant_account_id = 'default' order by created_at
        offset (select max(total) / 2 from mine) limit 1) as "middle"
  from picked`

const secondary = `select indexname as name, indexdef as definition from pg_indexes where tablename = 'payment_methods' and indexname <> 'payment_methods_pkey'`

/** Fills a place that no server uses. Indexes are made again afterwards: entry by entry takes longer. */
export async function fillPaymentMethods({ env }: Place, count: number): Promise<Sample> {
  const { db, close } = await openDatabase(readSettings(env))
  try {
    return await db.connection().execute(async (connection) => {
      const run = async <Row>(text: string) => (await sql.raw<Row>(text).execute(connection)).rows
      await run('set statement_timeout = 0')
      const indexes = await run<{ name: string; definition: string }>(secondary)
      for (const { name } of indexes) await run(`drop index ${name}`)
      await addOtherAccount(connection)
      await run(fillBuyers(count / 2))
      await run(fillMethods(count / 2))
      for (const { definition } of indexes) await run(definition)
      await run('vacuum analyze buyers')
      await run('vacuum analyze payment_methods')
      const [row] = await run<Sample>(sample)
      if (!row) throw new Error('nothing was filled in')
      return row
    })
  } finally {
    await close()
  }
}

const addOtherAccount = (db: Kysely<Tables>) =>
  sql`
insert into merchant_accounts select (jsonb_populate_record(m, '{"id": "other"}')).* from merchant_accounts m where id = 'default'`.execute(
    db,
  )
