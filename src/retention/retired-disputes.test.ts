import files from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { addDisputeProvider, disputeNotice, referenceOf, tell } from '../../test/support/domains/disputes.ts'
import {
  cutNow,
  KEPT_MS,
  retire,
  signedInAgain,
  startOldRailyard,
} from '../../test/support/domains/retention.ts'
import type { TestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'

vi.setConfig({ testTimeout: 300_000 })

/** The shop when its payments are old enough. */
async function afterYears(railyard: TestRailyard, shop: Shop): Promise<Shop> {
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  return signedInAgain(railyard, shop)
}

test('a dispute that is opened while the files are written keeps its payment, and can be accepted', async () => {
  const folder = await files.mkdtemp(join(tmpdir(), 'railyard-retired-disputes-'))
  onTestFinished(() => files.rm(folder, { recursive: true, force: true }))
  const railyard = await startOldRailyard({ ARCHIVE_DIR: join(folder, 'files') })
  onTestFinished(() => railyard.close())
  let shop = await openShop(railyard)
  const provider = addDisputeProvider(railyard)
  const payment = await shop.sold(100_00)
  const notice = disputeNotice(await referenceOf(payment))
  shop = await afterYears(railyard, shop)
  const { rename } = files
  let told: number | undefined
  vi.spyOn(files, 'rename').mockImplementation(async (from, to) => {
    told ??= (await tell(railyard, shop, notice)).status
    return rename(from, to)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await retire(railyard)).toBe(0)
  expect(told).toBe(200)
  const { items } = (await shop.get('/disputes')).body
  expect(items).toMatchObject([{ transaction_id: payment.id, status: 'needs_response', discrepancy: null }])
  expect(await shop.post(`/disputes/${items[0].id}/accept`)).toMatchObject({ status: 200 })
  expect(provider.accepted).toHaveLength(1)
  expect((await shop.get(`/transactions/${payment.id}`)).status).toBe(200)
})

test('a dispute whose payment is retired keeps its id when the payment service tells more', async () => {
  const railyard = await startOldRailyard()
  onTestFinished(() => railyard.close())
  let shop = await openShop(railyard)
  const provider = addDisputeProvider(railyard)
  const payment = await shop.sold(100_00)
  const won = disputeNotice(await referenceOf(payment), {
    status: 'won',
    funds: 'returned',
    occurredAt: '2024-12-01T10:00:00.000Z',
  })
  await tell(railyard, shop, won)
  shop = await afterYears(railyard, shop)
  expect(await retire(railyard)).toBe(5)
  const again = {
    ...won,
    status: 'needs_response',
    funds: 'withdrawn',
    occurredAt: '2026-03-01T10:00:00.000Z',
  } as const
  expect((await tell(railyard, shop, again)).status).toBe(200)
  const { items } = (await shop.get('/disputes')).body
  expect(items).toMatchObject([{ transaction_id: payment.id, status: 'needs_response', discrepancy: null }])
  expect(await shop.post(`/disputes/${items[0].id}/accept`)).toMatchObject({ status: 200 })
  expect(provider.accepted).toHaveLength(1)
})
