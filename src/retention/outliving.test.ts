import { expect, onTestFinished, test, vi } from 'vitest'
import { cartOf, openAgentPlatform, pricingUrl } from '../../test/support/domains/agentic-commerce.ts'
import { ADA, billing_details } from '../../test/support/domains/erasure.ts'
import { sendLink } from '../../test/support/domains/payment-links.ts'
import {
  cutNow,
  KEPT_MS,
  retire,
  startOldRailyard,
  verifyFindings,
} from '../../test/support/domains/retention.ts'
import { searchDatabase } from '../../test/support/search-database.ts'
import { openShop } from '../../test/support/shop.ts'

vi.setConfig({ testTimeout: 300_000 })

test('once its payment is retired, a paid link and a checkout of an AI agent have nothing of the buyer', async () => {
  const railyard = await startOldRailyard()
  onTestFinished(() => railyard.close())
  const shop = await openShop(railyard)
  const link = await sendLink(railyard, shop, { buyer: { billing_details }, metadata: { note: ADA } })
  await link.pay()
  await shop.put('/agentic-seller', { pricing_url: await pricingUrl() })
  const platform = openAgentPlatform(railyard, shop)
  const checkout = await platform.created(cartOf({ metadata: { note: ADA } }))
  expect(await platform.complete(checkout, await platform.tokenFor(checkout))).toMatchObject({ status: 200 })
  await cutNow(railyard)
  railyard.clock.advance(KEPT_MS)
  expect(await searchDatabase(railyard.world, [ADA, 'jane@example.com'])).not.toEqual([])
  expect(await retire(railyard)).toBe(5)
  expect(await searchDatabase(railyard.world, [ADA, 'jane@example.com'])).toEqual([])
  const client = await railyard.client({ account: shop.account })
  expect(await client.get(`/payment-links/${link.id}`)).toMatchObject({
    status: 200,
    body: { status: 'completed' },
  })
  expect(await verifyFindings(railyard)).toEqual([])
})
