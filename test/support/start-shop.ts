import { afterAll } from 'vitest'
import { expectBooksMatch } from './provider.ts'
import { startTestRailyard, type TestRailyard } from './railyard.ts'
import { openShop, type Shop } from './shop.ts'

interface StartOptions {
  comparesBooks?: boolean
  /** Of the shop's merchant account. */
  merchant?: Parameters<typeof openShop>[1]
}

/**
 * An instance with a shop for all tests of a file. When they are done, the journal must agree with the
 * providers' books unless `comparesBooks` is false.
 */
export async function startShop({
  comparesBooks = true,
  merchant,
}: StartOptions = {}): Promise<{ railyard: TestRailyard; shop: Shop }> {
  const railyard = await startTestRailyard()
  const shop = await openShop(railyard, merchant)
  afterAll(async () => {
    if (comparesBooks) await expectBooksMatch(railyard, shop.account)
    await railyard.close()
  })
  return { railyard, shop }
}
