import type { Logger } from 'pino'
import { ApiError } from '../../api/errors.ts'
import type { CardTestingSignal, Metrics } from '../../base/metrics.ts'
import { DistinctValues, SPAN_MS } from './distinct-values.ts'
import { passesLuhn } from './luhn.ts'

/** How many different values are accepted in ten minutes; 0: any number of them. */
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
 * Detects callers that try card numbers, gift card numbers or PINs. Each check counts a value before the
 * request is answered, and throws 429 if there are too many different values; a value that was accepted
 * before is accepted again.
 *
 * Answers show the first six and the last four digits of a card, which leaves a hundred thousand candidates:
 * to find the number, a caller sends many that differ only in the middle, and compares their fingerprints.
 * Real cards of one merchant hardly ever share all ten digits.
 */
export class CardTesting {
  readonly #context: CardTestingContext
  readonly #seen: DistinctValues

  constructor(context: CardTestingContext) {
    this.#context = context
    this.#seen = new DistinctValues(context.clock)
  }

  /**
   * A card number in a request of a merchant account. A number with a wrong check digit does not count: its
   * request is refused anyway.
   */
  checkCardNumber(account: string, number: string): void {
    if (!passesLuhn(number)) return
    const group = `alike\n${account}\n${number.slice(0, 6)}\n${number.slice(-4)}`
    this.#check('numbers_alike', account, { group, value: number, most: this.#context.most.alike })
  }

  /** The PIN with a gift card number in a request of a merchant account. */
  checkGiftCardPin(
    account: string,
    { number, pin }: { number: string; pin?: string | null | undefined },
  ): void {
    this.#check('gift_card_pins', account, {
      group: `pin\n${account}\n${number}`,
      value: pin ?? '',
      most: this.#context.most.pins,
    })
  }

  /** A gift card number from a buyer's browser. */
  checkGiftCardNumber(network: string, account: string, number: string): void {
    this.#check('gift_card_numbers', account, {
      group: `from\n${account}\n${network}`,
      value: number,
      most: this.#context.most.giftCards,
    })
  }

  /** Alerts the operator: by a line in the log, and a metric. */
  suspect(signal: CardTestingSignal, account: string | null): void {
    const { log, metrics } = this.#context
    metrics.cardTestingSuspected(signal)
    log.warn({ signal, account }, 'card testing suspected')
  }

  #check(
    signal: keyof typeof messages,
    account: string,
    { group, value, most }: { group: string; value: string; most: number },
  ): void {
    if (most === 0 || this.#seen.admit(group, value, most)) return
    this.suspect(signal, account)
    throw new ApiError(429, 'too_many_requests', messages[signal], {
      headers: { 'retry-after': String(SPAN_MS / 1000) },
    })
  }
}

const messages = {
  numbers_alike: 'Too many different card numbers with the same first and last digits',
  gift_card_pins: 'Too many different PINs for this gift card',
  gift_card_numbers: 'Too many different gift cards from this address',
}
