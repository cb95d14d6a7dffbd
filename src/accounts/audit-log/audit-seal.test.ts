import fc from 'fast-check'
import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { withoutTriggers } from '../../../test/support/tamper.ts'
import type { Seal } from '../../database/logs/chain.ts'
import { sealChain } from '../../database/logs/seal-chain.ts'
import { type ChainHead, verifyChain } from '../../database/logs/verify-chain.ts'
import { auditChain } from './audit-seal.ts'

let railyard: TestRailyard
let shop: Client
let seals: Seal[]
let entries: string[]
let head: ChainHead

beforeAll(async () => {
  railyard = await startTestRailyard()
  shop = await railyard.merchant()
  for (const names of [['Ada', 'Ben'], ['Cem'], ['Dora', 'Eve', 'Finn']]) {
    for (const external_identifier of names) await shop.post('/buyers', { external_identifier })
    await railyard.sealing.runOnce()
  }
  seals = await sealsOf(shop.account)
  const written = await railyard.world.db
    .selectFrom('audit_entries')
    .select('id')
    .where('merchant_account_id', '=', shop.account)
    .orderBy('position')
    .execute()
  entries = written.map(({ id }) => id)
  const last = seals.at(-1)
  head = { account: shop.account, number: last?.number ?? 0, hash: last?.hash.toString('hex') ?? '' }
})
afterAll(() => railyard.close())

const sealsOf = (account: string) =>
  railyard.world.db
    .selectFrom('audit_seals')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .orderBy('number')
    .execute()

const verified = (run = railyard.world.run, heads: readonly ChainHead[] = [head]) =>
  verifyChain(run, railyard.world.cipher, auditChain, heads)

test('each run seals the new entries of an account in one link, and verification finds no difference', async () => {
  expect(seals.map(({ number }) => number)).toEqual([1, 2, 3])
  // the account and its payment service were sealed with the first two buyers
  expect(seals.map(({ entries }) => entries)).toEqual([4, 1, 3])
  expect(await verified()).toMatchObject({ unsealed: 0, findings: [] })
})

test('a run without new entries makes no seal', async () => {
  expect(await railyard.sealing.runOnce()).toBe(0)
  expect(await sealsOf(shop.account)).toEqual(seals)
})

test('several processes that seal at the same time make each link once, and verification counts entries that are not sealed yet', async () => {
  const other = await railyard.merchant()
  await other.post('/buyers', {})
  const { unsealed } = await verified()
  expect(unsealed).toBeGreaterThanOrEqual(3)
  await Promise.all([1, 2, 3, 4].map(() => sealChain(railyard.world, auditChain)))
  expect(await sealsOf(other.account)).toMatchObject([{ number: 1, entries: 3 }])
  expect(await verified()).toMatchObject({ unsealed: 0, findings: [] })
})

test('each seal is logged, so that a log that is kept elsewhere proves that it existed', () => {
  const lines = railyard.logged
    .filter((line) => line.includes('"audit seal"'))
    .map((line) => JSON.parse(line))
  for (const { number, hash } of seals)
    expect(lines.filter((line) => line.account === shop.account && line.number === number)).toMatchObject([
      { hash: hash.toString('hex') },
    ])
})

test('the database refuses to change or remove what was written', async () => {
  const { db } = railyard.world
  const refused = /is only added to/
  await expect(sql`update audit_entries set actor_name = 'somebody else'`.execute(db)).rejects.toThrow(
    refused,
  )
  await expect(sql`delete from audit_entries`.execute(db)).rejects.toThrow(refused)
  await expect(sql`truncate audit_entries`.execute(db)).rejects.toThrow(refused)
  await expect(sql`update audit_seals set entries = 0`.execute(db)).rejects.toThrow(refused)
  await expect(sql`delete from audit_seals`.execute(db)).rejects.toThrow(refused)
  await expect(sql`truncate audit_seals`.execute(db)).rejects.toThrow(refused)
})

/**
 * The findings of verification after an attacker who owns the database server has made these changes, which
 * are then rolled back.
 */
async function tampered(...changes: RawBuilder<unknown>[]) {
  const undone = new Error('undone')
  let found: Awaited<ReturnType<typeof verified>> | undefined
  let changed = 0
  const work = railyard.world.db.transaction().execute(async (db) => {
    await withoutTriggers(db)
    for (const change of changes) changed += Number((await change.execute(db)).numAffectedRows ?? 0)
    const run: TestRailyard['world']['run'] = async (text, values) => {
      const { rows } = await db.executeQuery<never>(CompiledQuery.raw(text, [...values]))
      return rows
    }
    found = await verified(run)
    throw undone
  })
  await work.catch((error) => {
    if (error !== undone) throw error
  })
  return { changed, findings: found?.findings ?? [] }
}

const flipText = (column: string, bit: number) => {
  const at = sql.ref(column)
  // one of the lowest four bits of a character, so that the result is a character that a text may hold
  const place = sql`(${bit}::int / 4) % greatest(length(${at}), 1) + 1`
  return sql`overlay(${at} placing chr(ascii(substr(${at}, ${place}, 1)) # (1 << (${bit}::int % 4))) from ${place} for 1)`
}
const flipUuid = (column: string, bit: number) => sql`
  encode(set_byte(decode(replace(${sql.ref(column)}::text, '-', ''), 'hex'), ${bit % 16},
    get_byte(decode(replace(${sql.ref(column)}::text, '-', ''), 'hex'), ${bit % 16}) # (1 << ${(bit >> 4) % 8}::int)), 'hex')::uuid`
const flipBytes = (column: string, bit: number) =>
  sql`set_bit(${sql.ref(column)}, ${bit % 256}, 1 - get_bit(${sql.ref(column)}, ${bit % 256}))`
const flipNumber =
  (type: string, bits: number, lowest = 0) =>
  (column: string, bit: number) =>
    sql`${sql.ref(column)} # (1::${sql.raw(type)} << ${lowest + (bit % bits)}::int)`
const flipTime = (column: string, bit: number) =>
  sql`(${sql.ref(column)} at time zone 'UTC' + (1::bigint << ${bit % 40}::int) * interval '1 microsecond') at time zone 'UTC'`

const flips = {
  audit_entries: {
    position: flipNumber('bigint', 62),
    id: flipUuid,
    action: flipText,
    resource_type: flipText,
    resource_id: flipText,
    resource_name: flipText,
    actor_type: flipText,
    actor_id: flipUuid,
    actor_name: flipText,
    created_at: flipTime,
  },
  audit_seals: {
    // not the lowest bits: the database itself refuses two links with one number
    number: flipNumber('int', 29, 2),
    position: flipNumber('bigint', 62),
    entries: flipNumber('int', 31),
    hash: flipBytes,
    created_at: flipTime,
  },
} as const
const columns = Object.entries(flips).flatMap(([table, of]) =>
  Object.entries(of).map(([column, flip]) => ({ table, column, flip })),
)

const entry = (index: number) => sql`merchant_account_id = ${shop.account} and id = ${entries[index]}::uuid`
const seal = (index: number) => sql`merchant_account_id = ${shop.account} and number = ${index + 1}`

/** Gives a row to an account whose id is one bit different. */
const given = (table: string, row: RawBuilder<unknown>, bit: number) => [
  sql`
    insert into ${sql.table(table)}
    select (jsonb_populate_record(
             null::${sql.table(table)},
             to_jsonb(t) || jsonb_build_object('merchant_account_id', ${flipText('merchant_account_id', bit)}))).*
      from ${sql.table(table)} t
     where ${row}`,
  sql`delete from ${sql.table(table)} where ${row}`,
]

test('any one bit of any column of any entry or seal that is changed is found', async () => {
  const change = fc.record({ target: fc.constantFrom(...columns), row: fc.nat(7), bit: fc.nat(1023) })
  await fc.assert(
    fc.asyncProperty(change, async ({ target: { table, column, flip }, row, bit }) => {
      const { changed, findings } = await tampered(
        sql`update ${sql.table(table)} set ${sql.ref(column)} = coalesce(${flip(column, bit)}, ${flipNull(column)}) where ${table === 'audit_seals' ? seal(row % 3) : entry(row)}`,
      )
      expect(changed).toBe(1)
      expect({ table, column, found: findings.length > 0 }).toMatchObject({ found: true })
    }),
    { numRuns: 150 },
  )
})

test('an entry or seal that is given to another account is found', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(7), fc.nat(1023), async (row, bit) => {
      for (const changes of [
        given('audit_entries', entry(row), bit),
        given('audit_seals', seal(row % 3), bit),
      ]) {
        const { changed, findings } = await tampered(...changes)
        expect(changed).toBe(2)
        expect(findings.length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 15 },
  )
})

/** A value for a column that was null. */
const flipNull = (column: string) => (column === 'resource_name' ? sql`'a name'` : sql.ref(column))

test('an email address that is added to an entry without one is found', async () => {
  const { findings } = await tampered(
    sql`update audit_entries set actor_email_address = 'eve@shop.example' where ${entry(3)}`,
  )
  expect(findings).toMatchObject([{ account: shop.account, link: 1 }])
})

test('entries that are removed, inserted or exchanged are found, with the number of their link', async () => {
  const index = fc.nat(7)
  const linkOf = (index: number) => (index < 4 ? 1 : index < 5 ? 2 : 3)
  await fc.assert(
    fc.asyncProperty(index, index, async (one, other) => {
      const removed = await tampered(sql`delete from audit_entries where ${entry(one)}`)
      expect(removed.findings).toMatchObject([
        { account: shop.account, link: linkOf(one), problem: expect.stringContaining('entries') },
      ])
      const inserted = await tampered(sql`
        insert into audit_entries select merchant_account_id, position, gen_random_uuid(), action, resource_type, resource_id, resource_name, actor_type, actor_id,
               actor_name, actor_email_address, created_at from audit_entries where ${entry(one)}`)
      expect(inserted.findings).toMatchObject([
        { account: shop.account, link: linkOf(one), problem: expect.stringContaining('entries') },
      ])
      if (one === other) return
      const exchanged = await tampered(sql`
        update audit_entries e set position = o.position from audit_entries o
         where e.merchant_account_id = ${shop.account}
           and o.merchant_account_id = ${shop.account}
           and e.id = any(${[entries[one], entries[other]]}::uuid[])
           and o.id = any(${[entries[one], entries[other]]}::uuid[])
           and e.id <> o.id`)
      expect(exchanged.changed).toBe(2)
      expect(exchanged.findings.map(({ link }) => link)).toEqual(
        [...new Set([linkOf(one), linkOf(other)])].sort(),
      )
    }),
    { numRuns: 20 },
  )
})

test('seals that are removed, exchanged or cut off are found', async () => {
  const at = (number: number) => sql`merchant_account_id = ${shop.account} and number = ${number}`
  expect((await tampered(sql`delete from audit_seals where ${at(2)}`)).findings).toMatchObject([
    { link: 2, problem: 'is missing' },
  ])
  const exchanged = await tampered(
    sql`update audit_seals set number = 9 where ${at(1)}`,
    sql`update audit_seals set number = 1 where ${at(2)}`,
    sql`update audit_seals set number = 2 where ${at(9)}`,
  )
  expect(exchanged.findings.length).toBeGreaterThan(0)
  // without the last link and its entries the chain is whole: only a seal that was noted elsewhere shows that
  // its end is missing
  const cut = await tampered(
    sql`delete from audit_entries where merchant_account_id = ${shop.account} and position >= ${seals[1]?.position}`,
    sql`delete from audit_seals where ${at(3)}`,
  )
  expect(cut.findings).toEqual([{ account: shop.account, link: 3, problem: 'is known, and is missing' }])
})

test('a link that was made again differs from the seal that was noted elsewhere', async () => {
  const known = { account: shop.account, number: 2, hash: 'ab'.repeat(32) }
  expect((await verified(undefined, [known])).findings).toEqual([
    { account: shop.account, link: 2, problem: 'is another one than the one that is known' },
  ])
})
