import { expect } from 'vitest'
import type { TestRailyard } from '../railyard.ts'
import { card } from '../railyard.ts'
import { addService, openShop, type Shop } from '../shop.ts'

export const path = '/flows/card-transaction/rules/replay'

export const always = { all: [] }

export const routeTo = (...ids: string[]) => ({
  display_name: 'Route',
  action: 'route-transaction',
  condition: always,
  outcome: { attempts: ids.map((payment_service_id) => ({ payment_service_id })) },
})

export const decline = (condition: object) => ({
  display_name: 'Decline',
  action: 'decline-early',
  condition,
})

export const mastercard = { ...card, number: '5555555555554444' }

export const setLive = async (shop: Shop, items: object[]) => {
  expect(await shop.put('/flows/card-transaction/rules', { items })).toMatchObject({ status: 200 })
  expect((await shop.post('/flows/card-transaction/rules/publish', {})).status).toBeLessThan(300)
}

/** Shops whose payments are replayed. */
export function replayShops(railyard: TestRailyard) {
  async function shopWithTwo(): Promise<{ shop: Shop; first: string; second: string }> {
    const shop = await openShop(railyard)
    return { shop, first: shop.paymentServiceId, second: await addService(railyard, shop) }
  }

  return { shopWithTwo }
}
