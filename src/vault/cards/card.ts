import creditCardType from 'credit-card-type'
import { throwProblems } from '../../api/throw-problems.ts'
import type { CardForCall } from '../../connectors/contract/call.ts'
import type { CardScheme } from '../../connectors/contract/method.schema.ts'
import type { World } from '../../world.ts'
import type { CardInput } from '../payment-methods/payment-method-input.schema.ts'
import { cardFingerprint, type StoredFingerprint } from './card-fingerprint.ts'
import { passesLuhn } from './luhn.ts'

/** The data of a card that may be stored. */
export interface CardSnapshot {
  label: string
  /**
   * The issuer's first digits, six or eight, which rules and roll-ups read; answers show six (`shownBin`).
   */
  bin: string
  scheme: CardScheme
  expiration_date: string
  /** `card-fingerprint.ts`. */
  fingerprint: StoredFingerprint
  card_type: string | null
}

export interface ReadCard {
  snapshot: CardSnapshot
  /** The card in full, for calls of this request only. */
  card: CardForCall
}

/** The scheme by its name in the library `credit-card-type`. */
export const schemeByLibraryName: Readonly<Record<string, CardScheme>> = {
  visa: 'visa',
  mastercard: 'mastercard',
  'american-express': 'amex',
  'diners-club': 'diners-club',
  discover: 'discover',
  jcb: 'jcb',
  unionpay: 'unionpay',
  maestro: 'maestro',
  mir: 'mir',
  elo: 'elo',
  hipercard: 'hipercard',
}

/** The number of digits in the longest prefix of a scheme. */
const PREFIX = 8
const MAX_PREFIXES = 10_000
/** A cache: the library goes through all its prefixes and copies those that match. */
const schemeByPrefix = new Map<string, CardScheme>()

/** The scheme by the number's first digits. If prefixes overlap, the most specific one counts. */
export function schemeOf(number: string): CardScheme {
  const prefix = number.slice(0, PREFIX)
  const cached = schemeByPrefix.get(prefix)
  if (cached) return cached
  const scheme = schemeByLibraryName[creditCardType(number)[0]?.type ?? ''] ?? 'other'
  if (schemeByPrefix.size >= MAX_PREFIXES) schemeByPrefix.clear()
  schemeByPrefix.set(prefix, scheme)
  return scheme
}

/**
 * Why a card of this expiry (`MM/YY`) cannot pay; undefined: it can. A card is valid to the last moment of
 * its month in the last time zone (UTC−12).
 */
export function cardExpiryProblem(expiry: string, now: number): string | undefined {
  const [month = 0, year = 0] = expiry.split('/').map(Number)
  if (month < 1 || month > 12) return 'must have a month from 01 to 12'
  const end = Date.UTC(2000 + year, month, 1, 12)
  return end <= now ? 'lies in the past' : undefined
}

/** A card in a request. */
export type SubmittedCard = Pick<CardInput, 'number' | 'expiration_date' | 'card_type' | 'security_code'>

/**
 * Checks a card that a request has in full (semantics §1.7), and separates the data that may be stored from
 * the card itself. Throws 400 at the wrong member.
 */
export function readCard(world: World, account: string, input: SubmittedCard, pointer: string): ReadCard {
  const { number, expiration_date: expiry, security_code: code } = input
  const expiryProblem = cardExpiryProblem(expiry, world.clock.now())
  throwProblems({
    ...(!passesLuhn(number) && { [`${pointer}/number`]: 'is not a valid card number' }),
    ...(expiryProblem && { [`${pointer}/expiration_date`]: expiryProblem }),
  })
  const snapshot = { ...snapshotOfCard(world, account, number, expiry), card_type: input.card_type ?? null }
  return {
    snapshot,
    card: { number, expirationDate: expiry, securityCode: code ?? null, scheme: snapshot.scheme },
  }
}

/** The data of a card that may be stored and that follow from its number and expiry (`MM/YY`). */
export const snapshotOfCard = (
  world: Pick<World, 'cipher'>,
  account: string,
  number: string,
  expiry: string,
): Omit<CardSnapshot, 'card_type'> => ({
  label: number.slice(-4),
  bin: number.slice(0, number.length >= 16 ? 8 : 6),
  scheme: schemeOf(number),
  expiration_date: expiry,
  fingerprint: cardFingerprint(world, account, number),
})

/**
 * How many first digits answers show beside the last four: eight would leave a thousand candidates for the
 * number, six leave a hundred thousand.
 */
export const SHOWN_BIN_DIGITS = 6

/** The first digits of a card as an answer shows them. */
export const shownBin = (bin: string): string => bin.slice(0, SHOWN_BIN_DIGITS)
