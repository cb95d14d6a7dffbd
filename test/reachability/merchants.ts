import type { Event } from '../../src/events/event.schema.ts'
import { addAntiFraudService } from '../support/domains/anti-fraud.ts'
import { type BnplShop, openBnplShop } from '../support/domains/bnpl.ts'
import { addGiftCardService } from '../support/domains/gift-cards.ts'
import { withNetworkTokens } from '../support/domains/network-tokens.ts'
import { openSecureShop } from '../support/domains/secure-shop.ts'
import { openWalletShop, type WalletShop } from '../support/domains/wallet.ts'
import type { Answer, Client, TestRailyard } from '../support/railyard.ts'
import { openShop, type Shop } from '../support/shop.ts'

/** Merchants of every kind. */
export interface Merchants {
  railyard: TestRailyard
  /** Has network tokens, an account updater and gift cards. */
  shop: Shop
  /** Its payments are screened. */
  careful: Shop
  /** Its cardholders are authenticated. */
  secure: Shop
  /** Its payment service dies. */
  fragile: Shop
  wallet: WalletShop
  later: BnplShop
  /** Notes an event that a receiver was sent, or a feed has shown. */
  recordEvent(event: Event): void
  /** Reads on in everybody's feed of events. */
  readFeeds(): Promise<void>
  simulate(payment: { id: string }, event: string, more?: object, by?: Client): Promise<Answer>
}

export async function openMerchants(
  railyard: TestRailyard,
  recordEvent: Merchants['recordEvent'],
): Promise<Merchants> {
  const shop = await openShop(railyard, { settings: withNetworkTokens({ account_updater_enabled: true }) })
  const careful = await openShop(railyard)
  await addGiftCardService(railyard, shop)
  await addAntiFraudService(railyard, careful)
  const merchants = {
    shop,
    careful,
    fragile: await openShop(railyard),
    secure: await openSecureShop(railyard),
    wallet: await openWalletShop(railyard),
    later: await openBnplShop(railyard),
  }
  const cursors = new Map<Client, string>()
  return {
    railyard,
    ...merchants,
    recordEvent,
    async readFeeds() {
      for (const client of [railyard.admin, ...Object.values(merchants)]) {
        const after = cursors.get(client)
        const { items, next_cursor } = (
          await client.get(`/events?limit=1000${after === undefined ? '' : `&after=${after}`}`)
        ).body
        for (const event of items) recordEvent(event)
        cursors.set(client, next_cursor)
      }
    },
    simulate: ({ id }, event, more = {}, by = shop) =>
      by.post(`/sandbox/transactions/${id}/simulate`, { event, ...more }),
  }
}
