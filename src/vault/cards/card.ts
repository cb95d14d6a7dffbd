import creditCardType from 'credit-card-type'
import { invalid } from '../../api/errors.ts'
import type { CardForCall } from '../../connectors/connector.ts'
import type { CardScheme } from '../../connectors/method.schema.ts'
import type { World } from '../../world.ts'
import type { CardInput } from '../payment-methods/payment-method-input.schema.ts'
import { cardFingerprint, type StoredFingerprint } from './card-fingerprint.ts'
import { passesLuhn } from './luhn.ts'

/** What may be kept of a card. */
export interface CardSnapshot {
  label: string
  /** The issuer's first digits, six or eight: rules and roll-ups read them, and answers show six (`shownBin`). */
  bin: string
  scheme: CardScheme
  expiration_date: string
  /** By what the merchant account knows the card again (`card-fingerprint.ts`). */
  fingerprint: StoredFingerprint
  card_type: string | null
}

export interface ReadCard {
  snapshot: CardSnapshot
  /** The card itself, for calls of this request only. */
  card: CardForCall
}

const schemeByLibraryName: Record<string, CardScheme> = {
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

/** As many digits as the longest prefix of a scheme has. */
const PREFIX = 8
const MAX_PREFIXES = 10_000
/** The library goes through every prefix that it knows, and copies what fits. */
const schemeByPrefix = new Map<string, CardScheme>()

/** The scheme by the number's first digits. Where prefixes overlap the most specific one comes first. */
export function schemeOf(number: string): CardScheme {
  const prefix = number.slice(0, PREFIX)
  const before = schemeByPrefix.get(prefix)
  if (before) return before
  const scheme = schemeByLibraryName[creditCardType(number)[0]?.type ?? ''] ?? 'other'
  if (schemeByPrefix.size >= MAX_PREFIXES) schemeByPrefix.clear()
  schemeByPrefix.set(prefix, scheme)
  return scheme
}

/** A card is good to the last moment of its month, wherever on Earth that comes last (UTC−12). */
export function cardExpiryProblem(expiry: string, now: number): string | undefined {
  const [month = 0, year = 0] = expiry.split('/').map(Number)
  if (month < 1 || month > 12) return 'must have a month from 01 to 12'
  const end = Date.UTC(2000 + year, month, 1, 12)
  return end <= now ? 'lies in the past' : undefined
}

/** A card as a request gives it. */
export type SubmittedCard = Pick<CardInput, 'number' | 'expiration_date' | 'card_type' | 'security_code'>

/** Checks a card given in full (SEMANTICS §1.7) and takes it apart: what may be kept, and what may not. Throws 400 naming the field. */
export function readCard(world: World, account: string, input: SubmittedCard, pointer: string): ReadCard {
  const { number, expiration_date: expiry, security_code: code } = input
  const expiryProblem = cardExpiryProblem(expiry, world.clock.now())
  const problems = {
    ...(!passesLuhn(number) && { [`${pointer}/number`]: 'is not a valid card number' }),
    ...(expiryProblem && { [`${pointer}/expiration_date`]: expiryProblem }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const snapshot = { ...snapshotOfCard(world, account, number, expiry), card_type: input.card_type ?? null }
  return { snapshot, card: { number, expirationDate: expiry, securityCode: code ?? null, scheme: snapshot.scheme } }
}

/** What may be kept of a card, as far as its number and expiry (`MM/YY`) say. */
export const snapshotOfCard = (world: Pick<World, 'cipher'>, account: string, number: string, expiry: string): Omit<CardSnapshot, 'card_type'> => ({
  label: number.slice(-4),
  bin: number.slice(0, number.length >= 16 ? 8 : 6),
  scheme: schemeOf(number),
  expiration_date: expiry,
  fingerprint: cardFingerprint(world, account, number),
})

/** First digits that answers show beside the last four: with eight a thousand numbers would be left, with six a hundred thousand. */
export const SHOWN_BIN_DIGITS = 6

/** The first digits of a card as an answer shows them. */
export const shownBin = (bin: string): string => bin.slice(0, SHOWN_BIN_DIGITS)
