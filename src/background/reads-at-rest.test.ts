import { expect, test } from 'vitest'
import { copyPayment } from '../../bench/verify/copy.ts'
import { taskNames } from '../../test/support/railyard.ts'
import { rowsRead } from '../../test/support/rows-read.ts'
import { startShop } from '../../test/support/start-shop.ts'

// Counts rows, not times: what each round of the background work reads must not grow with the payments.

const { railyard, shop } = await startShop({ comparesBooks: false })
const { world } = railyard

const PAYMENTS = 2_000
const ROUNDS = 10

/** The tables of which one round reads many rows. */
async function largeReads(): Promise<string[]> {
  const before = await rowsRead(world)
  for (const name of taskNames) await railyard[name].runOnce()
  const after = await rowsRead(world)
  return [...after].flatMap(([name, read]) => (read - (before.get(name) ?? 0) > PAYMENTS / 4 ? [name] : []))
}

test('background work of an instance at rest does not read its payments', async () => {
  const { body: paid } = await shop.post('/transactions', {
    amount: 1299,
    currency: 'USD',
    payment_method: { method: 'card', number: '4111111111111111', expiration_date: '12/30' },
  })
  await copyPayment(world.run, paid.id, PAYMENTS)
  // the first rounds catch up with the events, and connections of PostgreSQL report what they have read late
  for (let round = 1; (await largeReads()).length > 0; round++) expect(round).toBeLessThan(ROUNDS)
})
