import { afterAll, expect } from 'vitest'
import type { CheckedWire } from '../contracts/checked-http.ts'
import { expectBooksMatch } from './provider.ts'
import type { TestRailyard } from './railyard.ts'
import type { Shop } from './shop.ts'
import { startRailyardForFile } from './start-railyard.ts'

interface CheckedShopOptions<S extends Shop> {
  /** The instance's settings, as environment variables. */
  env: Record<string, string> | undefined
  /** Begins to check what goes over the wire. */
  check(railyard: TestRailyard): CheckedWire
  open(railyard: TestRailyard): Promise<S>
}

/**
 * An instance with a shop for all tests of a file, whose requests to the provider are checked against the
 * provider's contract. When the tests are done, the journal must agree with the providers' books, and no
 * request or answer may have violated the contract.
 */
export async function startCheckedShop<S extends Shop>({
  env,
  check,
  open,
}: CheckedShopOptions<S>): Promise<{ railyard: TestRailyard; wire: CheckedWire; shop: S }> {
  // hooks run in reverse order: this one comes after the end of the instance, which may still send
  afterAll(() => expect(wire.violations).toEqual([]))
  const railyard = await startRailyardForFile(env)
  const wire = check(railyard)
  const shop = await open(railyard)
  afterAll(() => expectBooksMatch(railyard, shop.account))
  return { railyard, wire, shop }
}
