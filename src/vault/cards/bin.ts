import type { CardScheme, CardType } from '../../connectors/method.schema.ts'
import type { World } from '../../world.ts'
import { schemeOf } from './card.ts'

/** What the first digits of a card number say (SEMANTICS §5.5). Null: not known. */
export interface BinDetails {
  /** `other` where no scheme has these digits. */
  scheme: CardScheme
  /** Of a card that carries more schemes than one; empty: it does not. */
  additionalSchemes: readonly CardScheme[]
  cardType: CardType | null
  issuer: string | null
  /** ISO 3166-1 alpha-2, of the issuer. */
  country: string | null
}

/** Prefixes have 6 to 8 digits (ISO/IEC 7812-1); the longest that fits counts. */
const MIN_LENGTH = 6
const MAX_LENGTH = 8

interface BinRow {
  scheme: CardScheme
  additional_schemes: CardScheme[]
  card_type: CardType | null
  issuer: string | null
  country: string | null
}

/** `importBins` has checked the words of every row. */
const longestPrefix = `
select scheme, additional_schemes, card_type, issuer, country from bins where prefix = any($1::text[]) order by length(prefix) desc limit 1`

/** What is known of a card by its number, or by its first digits, of which 6 are needed. */
export async function binDetails({ cache, run }: Pick<World, 'cache' | 'run'>, number: string): Promise<BinDetails> {
  const digits = number.slice(0, MAX_LENGTH)
  const row = await cache.get('bins', digits, async () => {
    const prefixes = Array.from({ length: MAX_LENGTH - MIN_LENGTH + 1 }, (_, index) => digits.slice(0, MIN_LENGTH + index))
    const [found] = await run<BinRow>(longestPrefix, [[...new Set(prefixes)]])
    return found ?? null
  })
  if (!row) return { scheme: schemeOf(number), additionalSchemes: [], cardType: null, issuer: null, country: null }
  return { scheme: row.scheme, additionalSchemes: row.additional_schemes, cardType: row.card_type, issuer: row.issuer, country: row.country }
}
