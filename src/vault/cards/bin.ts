import type { CardScheme, CardType } from '../../connectors/contract/method.schema.ts'
import type { World } from '../../world.ts'
import { schemeOf } from './card.ts'

/** The details of a card by the first digits of its number (semantics §5.5). Null: not known. */
export interface BinDetails {
  /** `other`: no known scheme has these digits. */
  scheme: CardScheme
  /** The other schemes of a card with several; empty: it has only one. */
  additionalSchemes: readonly CardScheme[]
  cardType: CardType | null
  issuer: string | null
  /** ISO 3166-1 alpha-2, of the issuer. */
  country: string | null
}

/** Prefixes have 6 to 8 digits (ISO/IEC 7812-1); the longest one counts. */
const MIN_LENGTH = 6
const MAX_LENGTH = 8

interface BinRow {
  scheme: CardScheme
  additional_schemes: CardScheme[]
  card_type: CardType | null
  issuer: string | null
  country: string | null
}

/** `importBins` has checked the values of every row. */
const selectLongestPrefix = `
select scheme, additional_schemes, card_type, issuer, country
  from bins
 where prefix = any($1::text[])
 order by length(prefix) desc
 limit 1`

/** The details of a card by its number or by its first digits, of which it needs 6. */
export async function binDetails(
  { cache, run }: Pick<World, 'cache' | 'run'>,
  number: string,
): Promise<BinDetails> {
  const digits = number.slice(0, MAX_LENGTH)
  const row = await cache.get('bins', digits, async () => {
    const prefixes = Array.from({ length: MAX_LENGTH - MIN_LENGTH + 1 }, (_, index) =>
      digits.slice(0, MIN_LENGTH + index),
    )
    const [found] = await run<BinRow>(selectLongestPrefix, [[...new Set(prefixes)]])
    return found ?? null
  })
  if (!row)
    return { scheme: schemeOf(number), additionalSchemes: [], cardType: null, issuer: null, country: null }
  return {
    scheme: row.scheme,
    additionalSchemes: row.additional_schemes,
    cardType: row.card_type,
    issuer: row.issuer,
    country: row.country,
  }
}
