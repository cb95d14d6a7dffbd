import { afterAll } from 'vitest'
import { expectBooksMatch } from './provider.ts'
import { startTestRailyard, type TestRailyard } from './railyard.ts'
import { openShop, type Shop } from './shop.ts'

/** An instance with a shop for all tests of a file. When they are done, the journal must agree with the providers' books unless `comparesBooks` is false. */
export async function startShop({ comparesBooks = true } = {}): Promise<{ railyard: TestRailyard; shop: Shop }> {
  const railyard = await startTestRailyard()
  const shop = await openShop(railyard)
  afterAll(async () => {
    if (comparesBooks) await expectBooksMatch(railyard, shop.account)
    await railyard.close()
  })
  return { railyard, shop }
}
