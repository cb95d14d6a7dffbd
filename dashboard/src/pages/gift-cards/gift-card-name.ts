import type { GiftCard, GiftCardSummary } from '@railyard/client'
import { nameCard } from '../../format/names.ts'

/** How people name a gift card: its first and last digits. */
export const giftCardName = ({ bin, last4 }: GiftCard | GiftCardSummary): string => nameCard(bin, last4)
