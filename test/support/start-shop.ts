import { afterAll } from 'vitest'
import { expectBooksMatch, recoverFully } from './provider.ts'
import type { TestRailyard } from './railyard.ts'
import { openShop, type Shop } from './shop.ts'
import { startRailyardForFile } from './start-railyard.ts'

interface StartOptions {
  comparesBooks?: boolean
  /** Of the shop's merchant account. */
  merchant?: Parameters<typeof openShop>[1]
  /** The instance's settings, as environment variables. */
  env?: Record<string, string>
}

/**
 * An instance with a shop for all tests of a file. When they are done, and recovery has found out what a busy
 * machine left unknown, the journal must agree with the providers' books unless `comparesBooks` is false.
 */
export async function startShop({
  comparesBooks = true,
  merchant,
  env,
}: StartOptions = {}): Promise<{ railyard: TestRailyard; shop: Shop }> {
  const railyard = await startRailyardForFile(env)
  const shop = await openShop(railyard, merchant)
  if (comparesBooks)
    afterAll(async () => {
      await recoverFully(railyard)
      await expectBooksMatch(railyard, shop.account)
    })
  return { railyard, shop }
}
