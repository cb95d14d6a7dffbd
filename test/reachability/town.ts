import type { Event } from '../../src/events/event.schema.ts'
import { addAntiFraudService } from '../anti-fraud.ts'
import { type BnplShop, openBnplShop } from '../bnpl.ts'
import { addGiftCardService } from '../gift-cards.ts'
import type { Answer, Client, TestRailyard } from '../railyard.ts'
import { openSecureShop } from '../secure-shop.ts'
import { openShop, type Shop } from '../shop.ts'
import { withNetworkTokens } from '../tokens-at-schemes.ts'
import { openWalletShop, type WalletShop } from '../wallet.ts'

/** Merchants of every kind. */
export interface Town {
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
  told(event: Event): void
  /** Reads on in everybody's feed of events. */
  readFeeds(): Promise<void>
  simulate(payment: { id: string }, event: string, more?: object, by?: Client): Promise<Answer>
}

export async function openTown(railyard: TestRailyard, told: Town['told']): Promise<Town> {
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
    told,
    async readFeeds() {
      for (const client of [railyard.admin, ...Object.values(merchants)]) {
        const after = cursors.get(client)
        const { items, next_cursor } = (await client.get(`/events?limit=1000${after === undefined ? '' : `&after=${after}`}`)).body
        for (const event of items) told(event)
        cursors.set(client, next_cursor)
      }
    },
    simulate: ({ id }, event, more = {}, by = shop) => by.post(`/sandbox/transactions/${id}/simulate`, { event, ...more }),
  }
}
