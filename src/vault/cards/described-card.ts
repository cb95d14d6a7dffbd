import type { CardScheme } from '../../connectors/method.schema.ts'
import type { World } from '../../world.ts'
import { binDetails } from './bin.ts'
import { type CardSnapshot, type ReadCard, readCard, type SubmittedCard } from './card.ts'

/** A card with what its first digits tell of it (SEMANTICS §5.5). */
export interface DescribedCard extends CardSnapshot {
  additional_schemes: CardScheme[]
  card_issuer_name: string | null
  /** ISO 3166-1 alpha-2, of the issuer. */
  card_country: string | null
}

export type ReadAndDescribed = ReadCard & { snapshot: DescribedCard }

/**
 * `readCard`, with the BIN's details. What the request says of the card's type stands above them. Throws 429 for one number too many that looks like others of the
 * account (`card-testing.ts`).
 */
export async function readDescribedCard(world: World, account: string, input: SubmittedCard, pointer: string): Promise<ReadAndDescribed> {
  world.cardTesting.noteNumber(account, input.number)
  const { snapshot, card } = readCard(world, account, input, pointer)
  const described = await describeCard(world, card.number, snapshot)
  return { snapshot: described, card: { ...card, scheme: described.scheme } }
}

/** What is known of the card with this number beside `snapshot`. */
export async function describeCard(world: World, number: string, snapshot: CardSnapshot): Promise<DescribedCard> {
  const { scheme, additionalSchemes, cardType, issuer, country } = await binDetails(world, number)
  return {
    ...snapshot,
    scheme,
    additional_schemes: [...additionalSchemes],
    card_type: snapshot.card_type ?? cardType,
    card_issuer_name: issuer,
    card_country: country,
  }
}
