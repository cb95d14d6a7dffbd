import type { Logger } from 'pino'
import { ApiError } from '../../api/errors.ts'
import type { CardTestingSignal, Metrics } from '../../base/metrics.ts'
import { DistinctValues, SPAN_MS } from './distinct-values.ts'
import { passesLuhn } from './luhn.ts'

/** How many different values are taken in ten minutes; 0: any number of them. */
export interface GuessLimits {
  /** Card numbers of one account that share the first six and the last four digits, which answers show. */
  alike: number
  /** PINs with one gift card number of one account. */
  pins: number
  /** Gift card numbers for one account from one address. */
  giftCards: number
}

interface CardTestingContext {
  clock: { now(): number }
  log: Pick<Logger, 'warn'>
  metrics: Pick<Metrics, 'cardTestingSuspected'>
  most: GuessLimits
}

/**
 * Notices a caller that tries card numbers, gift card numbers or PINs. Each method notes a value before anything is said of it, and throws 429 for one too many; one that was taken
 * before is taken again.
 *
 * Answers show the first six and the last four digits of a card, which leaves a hundred thousand candidates: to find the number, a caller sends many that differ in the middle alone,
 * and compares their fingerprints. Real cards of one merchant hardly ever share all ten digits.
 */
export class CardTesting {
  readonly #surroundings: CardTestingContext
  readonly #seen: DistinctValues

  constructor(surroundings: CardTestingContext) {
    this.#surroundings = surroundings
    this.#seen = new DistinctValues(surroundings.clock)
  }

  /** A card number that a merchant account was given. One that cannot be a card's does not count: its request is refused anyway. */
  noteNumber(account: string, number: string): void {
    if (!passesLuhn(number)) return
    const group = `alike\n${account}\n${number.slice(0, 6)}\n${number.slice(-4)}`
    this.#note('numbers_alike', account, { group, value: number, most: this.#surroundings.most.alike })
  }

  /** A gift card that a merchant account was given with its number. */
  noteGiftCard(account: string, { number, pin }: { number: string; pin?: string | null | undefined }): void {
    this.#note('gift_card_pins', account, { group: `pin\n${account}\n${number}`, value: pin ?? '', most: this.#surroundings.most.pins })
  }

  /** A gift card number that a buyer's browser sent. */
  noteGiftCardFrom(network: string, account: string, number: string): void {
    this.#note('gift_card_numbers', account, { group: `from\n${account}\n${network}`, value: number, most: this.#surroundings.most.giftCards })
  }

  /** Tells the operator: a line in the log, and a metric to be alerted by. */
  suspect(signal: CardTestingSignal, account: string | null): void {
    const { log, metrics } = this.#surroundings
    metrics.cardTestingSuspected(signal)
    log.warn({ signal, account }, 'card testing suspected')
  }

  #note(signal: keyof typeof messages, account: string, { group, value, most }: { group: string; value: string; most: number }): void {
    if (most === 0 || this.#seen.take(group, value, most)) return
    this.suspect(signal, account)
    throw new ApiError(429, 'too_many_requests', messages[signal], { headers: { 'retry-after': String(SPAN_MS / 1000) } })
  }
}

const messages = {
  numbers_alike: 'Too many different card numbers with the same first and last digits',
  gift_card_pins: 'Too many different PINs for this gift card',
  gift_card_numbers: 'Too many different gift cards from this address',
}
