import files from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { cutNow, KEPT_MS, retire, startOldRailyard } from '../../test/support/domains/retention.ts'
import { type Client, card, type TestRailyard } from '../../test/support/railyard.ts'
import { openShop } from '../../test/support/shop.ts'

let folder: string
let railyard: TestRailyard
let client: Client
beforeAll(async () => {
  folder = join(await files.mkdtemp(join(tmpdir(), 'railyard-archive-')), 'files')
  railyard = await startOldRailyard({ ARCHIVE_DIR: folder })
  const shop = await openShop(railyard)
  await shop.sold(80_00)
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  client = await railyard.client({ account: shop.account })
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await railyard.close()
  await files.rm(join(folder, '..'), { recursive: true })
})

test('a payment is answered while files are opened, written and renamed', async () => {
  const answers: unknown[] = []
  const pay = async () => {
    const sale = { amount: 10_00, currency: 'EUR', payment_method: card, intent: 'capture' }
    const payment = client.post('/transactions', sale).then(({ status }) => status)
    answers.push(await Promise.race([payment, wait(5_000, 'waits')]))
  }
  const { open, rename } = files
  vi.spyOn(files, 'open').mockImplementation(async (...parameters) => {
    if (parameters[1] === 'wx') await pay()
    return open(...parameters)
  })
  vi.spyOn(files, 'rename').mockImplementation(async (...parameters) => {
    await pay()
    return rename(...parameters)
  })
  expect(await retire(railyard)).toBe(5)
  expect(answers).toEqual([201, 201, 201, 201, 201, 201])
})
