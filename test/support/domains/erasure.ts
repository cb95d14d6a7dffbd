import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Client, TestRailyard } from '../railyard.ts'
import type { Shop } from '../shop.ts'

export const ADA = 'Lovelace'

export const billing_details = {
  first_name: 'Ada',
  last_name: ADA,
  email_address: `${ADA}@example.com`,
  address: { city: ADA, country: 'GB' },
}

export const MINUTE = 60_000

/** What tests of erasures do at a shop. */
export function erasureActions(railyard: TestRailyard, shop: Shop) {
  /**
   * Runs the last pass, which begins a minute after the request: until then requests that read the buyer may
   * commit.
   */
  async function runLastPass() {
    railyard.clock.advance(MINUTE + 1_000)
    await railyard.erasing.runOnce()
  }

  const createBuyer = async (client: Client = shop, more: object = {}) =>
    (
      await client.post('/buyers', {
        display_name: ADA,
        external_identifier: `${ADA}-${randomUUID()}`,
        billing_details,
        ...more,
      })
    ).body

  const statusOf = async (id: string, client: Client = shop) =>
    (await client.get(`/buyers/${id}/erasure`)).body

  async function erase(id: string, client: Client = shop) {
    const answer = await client.post(`/buyers/${id}/erase`)
    expect(answer).toMatchObject({
      status: 202,
      body: { type: 'buyer-erasure', buyer_id: id, status: 'pending', completed_at: null },
    })
    await railyard.erasing.runOnce()
    await runLastPass()
    return statusOf(id, client)
  }

  const everythingOf = async (id: string, client: Client = shop) =>
    JSON.stringify(
      await Promise.all(
        ['', '/events', '/captures', '/refunds', '/actions'].map(
          async (path) => (await client.get(`/transactions/${id}${path}`)).body,
        ),
      ),
    )

  return { runLastPass, createBuyer, statusOf, erase, everythingOf }
}
