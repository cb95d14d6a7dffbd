import { invalid } from '../../api/errors.ts'
import type { CardScheme } from '../../connectors/contract/method.schema.ts'
import type { World } from '../../world.ts'
import { binDetails } from './bin.ts'
import { type CardSnapshot, type ReadCard, readCard, type SubmittedCard } from './card.ts'
import { hasCardNumber } from './card-numbers-in-text.ts'

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
 * account has sent too many different numbers like this one (`card-testing.ts`), 400 if this server takes no
 * card numbers. `isDeviceNumber`: a wallet's number for the device, which is no card number.
 */
export async function readDescribedCard(
  world: World,
  account: string,
  input: SubmittedCard,
  pointer: string,
  { isDeviceNumber = false } = {},
): Promise<ReadAndDescribed> {
  if (!isDeviceNumber) refuseCardNumbers(world, pointer)
  world.cardTesting.checkCardNumber(account, input.number)
  const { snapshot, card } = readCard(world, account, input, pointer)
  const described = await describeCard(world, card.number, snapshot)
  return { snapshot: described, card: { ...card, scheme: described.scheme } }
}

/** Throws 400 if the operator takes no card numbers (`CARD_NUMBERS=refuse`). */
function refuseCardNumbers({ settings }: World, pointer: string): void {
  if (settings.cardNumbers === 'refuse')
    throw invalid({
      [`${pointer}/number`]:
        'is not accepted here: send what the provider’s script produced (`provider-token`)',
    })
}

/**
 * Throws 400 if the operator takes no card numbers, and a token of a provider's script has one: a page that
 * sends what its buyer typed must not bring it here.
 */
export function refuseCardNumberInToken({ settings }: World, token: unknown): void {
  if (settings.cardNumbers !== 'refuse') return
  if (hasCardNumber(typeof token === 'string' ? token : JSON.stringify(token)))
    throw invalid({ '/payment_method/token': 'has a card number, which is not accepted here' })
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
