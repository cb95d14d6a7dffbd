/** A gift card of a request, as it is compared with the others of the same request. */
export interface ComparedCard {
  fingerprint: string
  pin: string | null
  /** The request names the card by its id; otherwise by its number and PIN. */
  isStored: boolean
}

/**
 * Whether a request names one gift card twice. Beside a stored card, a number counts as the same card only
 * with its PIN: otherwise a caller that knows the id of a stored card could try numbers until one of them is
 * that card's.
 */
const isSameGiftCard = (one: ComparedCard, other: ComparedCard): boolean =>
  one.fingerprint === other.fingerprint && (one.isStored === other.isStored || one.pin === other.pin)

/** The indexes of the cards that a request has named before. */
export const repeatedCards = (cards: readonly ComparedCard[]): number[] =>
  cards.flatMap((card, index) =>
    cards.slice(0, index).some((before) => isSameGiftCard(card, before)) ? [index] : [],
  )
