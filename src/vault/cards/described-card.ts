import type { CardScheme } from '../../connectors/contract/method.schema.ts'
import type { World } from '../../world.ts'
import { binDetails } from './bin.ts'
import { type CardSnapshot, type ReadCard, readCard, type SubmittedCard } from './card.ts'

/** A card with the details of its BIN (semantics §5.5). */
export interface DescribedCard extends CardSnapshot {
  additional_schemes: CardScheme[]
  card_issuer_name: string | null
  /** ISO 3166-1 alpha-2, of the issuer. */
  card_country: string | null
}

export type ReadAndDescribed = ReadCard & { snapshot: DescribedCard }

/**
 * `readCard` with the details of the BIN. A card type in the request goes before the BIN's. Throws 429 if the
 * account has sent too many different numbers like this one (`card-testing.ts`).
 */
export async function readDescribedCard(
  world: World,
  account: string,
  input: SubmittedCard,
  pointer: string,
): Promise<ReadAndDescribed> {
  world.cardTesting.checkCardNumber(account, input.number)
  const { snapshot, card } = readCard(world, account, input, pointer)
  const described = await describeCard(world, card.number, snapshot)
  return { snapshot: described, card: { ...card, scheme: described.scheme } }
}

/** Adds the details of the number's BIN to `snapshot`. */
export async function describeCard(
  world: World,
  number: string,
  snapshot: CardSnapshot,
): Promise<DescribedCard> {
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
