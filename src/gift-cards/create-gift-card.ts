import { type BuyerSelectors, findRequestedBuyer } from '../buyers/buyer.store.ts'
import type { World } from '../world.ts'
import { isExpired } from './balance.ts'
import type { GiftCard, GiftCardCreate } from './gift-card.schema.ts'
import { checkCanStoreCard, storeGiftCard } from './gift-card.store.ts'
import { primaryGiftCardService, refusedByService, serviceUnreachable } from './services/service-call.ts'

/**
 * Stores a card that the gift card service accepts (semantics §10). `selectors` name its buyer: the
 * request's, or those of a browser's token.
 */
export async function createGiftCard(
  world: World,
  account: string,
  card: GiftCardCreate,
  selectors: BuyerSelectors,
): Promise<GiftCard> {
  const buyer = await findRequestedBuyer(world, account, selectors)
  const { row: service, connector, call } = await primaryGiftCardService(world, account)
  const { number, pin } = card
  world.cardTesting.checkGiftCardPin(account, card)
  await checkCanStoreCard(world, account, { number, pin }, buyer)
  const balance = await connector.balance(call, { number, pin })
  if (balance.status === 'lost') throw serviceUnreachable()
  if (balance.status === 'refused') throw refusedByService(balance)
  const { expirationDate } = balance
  if (isExpired(expirationDate, world.clock.now()))
    throw refusedByService({ code: 'expired_card', rawCode: null, rawMessage: null })
  return storeGiftCard(world, account, {
    id: world.ids.next(),
    card: { number, pin },
    service,
    buyer,
    expirationDate,
  })
}
