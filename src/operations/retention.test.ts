import { expect, test } from 'vitest'
import { startShop } from '../../test/support/start-shop.ts'
import { REPORT_NOTICES } from '../connectors/contract/offered-reports.ts'
import { keepNotice } from './journal/notices.ts'
import { readOperations } from './journal/read-operations.ts'
import { deleteOldNotices } from './retention.ts'

const DAY_MS = 86_400_000

const { railyard, shop } = await startShop()
const { world } = railyard

/** Deletes old notices so many days from now. */
const deleteAfter = (days: number) => {
  const now = world.clock.now() + days * DAY_MS
  return deleteOldNotices({ ...world, clock: { ...world.clock, now: () => now } })
}

const keep = (subject: string, id = crypto.randomUUID()) =>
  keepNotice(world, { account: shop.account, service: shop.paymentServiceId, subject }, { id, body: {} })

const keptSubjects = async (): Promise<string[]> => {
  const rows = await world.run<{ subject: string }>(
    'select distinct subject from provider_notices where merchant_account_id = $1 order by subject',
    [shop.account],
  )
  return rows.map(({ subject }) => subject)
}

const subjectsOf = async (amount: number) => {
  const { body } = await shop.pay(amount)
  const operation = (await readOperations(world, shop.account, body.id)).at(-1)
  return { status: operation?.status, subjects: [operation?.id ?? '', body.payment_service_transaction_id] }
}

test('notices of decided operations are deleted after 90 days, those of undecided ones stay', async () => {
  const decided = await subjectsOf(10_00)
  const pending = await subjectsOf(540001)
  expect([decided.status, pending.status]).toEqual(['approved', 'pending'])
  const ofPending = pending.subjects.filter((subject) => typeof subject === 'string')
  for (const subject of [...decided.subjects, ...ofPending, 'payment of another system']) await keep(subject)
  const all = await keptSubjects()
  await deleteAfter(89)
  expect(await keptSubjects()).toEqual(all)
  await deleteAfter(91)
  expect(await keptSubjects()).toEqual([...new Set(ofPending)].sort())
})

test('notices that a settlement report is ready are kept for 400 days', async () => {
  await keep(REPORT_NOTICES)
  await deleteAfter(399)
  expect(await keptSubjects()).toContain(REPORT_NOTICES)
  await deleteAfter(401)
  expect(await keptSubjects()).not.toContain(REPORT_NOTICES)
})

test('old notices are deleted, however many there are', async () => {
  await world.run(
    `insert into provider_notices (merchant_account_id, payment_service_id, id, subject, body, received_at)
     select 'm-many', gen_random_uuid(), n::text, n::text, '{}', $1::timestamptz from generate_series(1, 20001) n`,
    [new Date(world.clock.now() - 100 * DAY_MS).toISOString()],
  )
  await deleteOldNotices(world)
  expect(await world.run("select 1 from provider_notices where merchant_account_id = 'm-many'", [])).toEqual(
    [],
  )
})
