import { CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitUntilReadable } from '../../src/database/logs/event-log.ts'
import { type ChainHead, verifyChain } from '../../src/database/logs/verify-chain.ts'
import type { Statements } from '../../src/database/statements.ts'
import { journalChain } from '../../src/operations/journal/journal-chain.ts'
import { type VerifiedService, verify } from '../../src/verify/verify.ts'
import { startTestRailyard, type TestRailyard } from '../support/railyard.ts'
import { withoutTriggers } from '../support/tamper.ts'
import type { Corruption } from './corruptions/changes.ts'
import { corruptions } from './corruptions.ts'
import { documentOf } from './document.ts'
import { createSampleData, type Names } from './sample-data.ts'

let railyard: TestRailyard
let names: Names
let service: VerifiedService

beforeAll(async () => {
  railyard = await startTestRailyard()
  names = await createSampleData(railyard)
  await waitUntilReadable(railyard.world)
  await railyard.sealing.runOnce()
  const seals = railyard.world.db
    .selectFrom('journal_seals')
    .selectAll()
    .where('merchant_account_id', '=', names.account)
  const end = await seals.orderBy('number', 'desc').executeTakeFirstOrThrow()
  heads = [{ account: names.account, number: end.number, hash: end.hash.toString('hex') }]
  service = { now: railyard.clock.now(), idempotencyRetention: railyard.world.settings.idempotencyRetention }
})
afterAll(() => railyard.close())

/** A link that was stored outside the instance. */
let heads: ChainHead[]

/** The findings of the comparison of rows, then those of the journal chain. */
async function found(run: Statements): Promise<string[]> {
  const compared = await verify(run, service)
  const sealed = await verifyChain(run, railyard.world.cipher, journalChain, heads)
  return [
    ...compared.findings.map(
      ({ problem, stored, computed }) => `${problem}: ${stored} stored, ${computed} computed`,
    ),
    ...sealed.findings.map(({ problem }) => `journal: link ${problem}`),
  ]
}

/** The statement with the ids in place of its names. */
const named = (text: string): string =>
  text.replaceAll(/:([a-z]\w*)\b/gi, (whole, name: string) =>
    name in names ? `'${names[name as keyof Names]}'` : whole,
  )

class Undone extends Error {}

/**
 * The findings after an attacker who owns the database has changed it; the change is rolled back afterwards.
 */
async function corrupted({ sql: statements }: Corruption): Promise<{ changed: number; findings: string[] }> {
  let changed = 0
  let findings: string[] = []
  const work = railyard.world.db.transaction().execute(async (db) => {
    await withoutTriggers(db)
    for (const statement of [statements].flat()) {
      const { numAffectedRows = 0n } = await sql.raw(named(statement)).execute(db)
      changed += Number(numAffectedRows)
    }
    findings = await found(
      async (text, values) => (await db.executeQuery<never>(CompiledQuery.raw(text, [...values]))).rows,
    )
    throw new Undone()
  })
  await work.catch((error) => {
    if (!(error instanceof Undone)) throw error
  })
  return { changed, findings }
}

test('finds nothing in a database that only the service has written, and everything is sealed', async () => {
  expect(await found(railyard.world.run)).toEqual([])
  expect(await verifyChain(railyard.world.run, railyard.world.cipher, journalChain)).toMatchObject({
    unsealed: 0,
  })
})

describe.each(Object.entries(Object.groupBy(corruptions, ({ subject }) => subject)))(
  '%s',
  (_subject, all) => {
    test.each(all ?? [])('$name', async (corruption) => {
      const { changed, findings } = await corrupted(corruption)
      expect(changed).toBeGreaterThan(0)
      if ('notDetected' in corruption) return expect(findings).toEqual([])
      expect(findings).toContainEqual(expect.stringContaining(corruption.finding))
    })
  },
)

test('the document lists these kinds', async () => {
  await expect(documentOf(corruptions)).toMatchFileSnapshot('../../docs/operations/corruptions.md')
})
