import type { GiftCardForCall } from '../../connectors/gift-card-connector.ts'
import type { World } from '../../world.ts'

/** Number and PIN of a gift card that pays a part, for the redemption of that id. They are forgotten as soon as it is decided. */
export const sealForRedemption = ({ cipher }: Pick<World, 'cipher'>, redemption: string, card: GiftCardForCall): string =>
  cipher.seal('gift-card', JSON.stringify(card), redemption).toString('base64')

export const openForRedemption = ({ cipher }: Pick<World, 'cipher'>, redemption: string, sealed: string): GiftCardForCall =>
  JSON.parse(cipher.open('gift-card', Buffer.from(sealed, 'base64'), redemption))
