import type { GiftCardForCall } from '../../connectors/contract/gift-card-connector.ts'
import type { World } from '../../world.ts'

/**
 * Seals the number and PIN of a gift card for the redemption of that id. They are deleted as soon as the
 * redemption is decided.
 */
export const sealForRedemption = (
  { cipher }: Pick<World, 'cipher'>,
  redemption: string,
  card: GiftCardForCall,
): string => cipher.seal('gift-card', JSON.stringify(card), redemption).toString('base64')

export const openForRedemption = (
  { cipher }: Pick<World, 'cipher'>,
  redemption: string,
  sealed: string,
): GiftCardForCall => JSON.parse(cipher.open('gift-card', Buffer.from(sealed, 'base64'), redemption))
