import { createHmac, randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { ApiError } from '../api/errors.ts'
import type { CardTestingSignal, Metrics } from '../metrics.ts'
import { passesLuhn } from './card.ts'

/** How long a number counts: it is forgotten between one and two of these later. */
const SPAN_MS = 600_000
/** Cards in each of the two spans. Beyond it the older span is forgotten early, so that a flood of numbers cannot fill the memory. */
const MOST_REMEMBERED = 100_000

/** By account, first six and last four digits: the one number that was seen, or those that were. Both are keyed hashes. */
type Seen = Map<number, number | number[]>

interface Surroundings {
  clock: { now(): number }
  log: Pick<Logger, 'warn'>
  metrics: Pick<Metrics, 'cardTestingSuspected'>
  /** Different numbers that share what answers show of a card; 0: any number of them. */
  mostAlike: number
}

/**
 * Notices a caller that tries card numbers. Answers show the first six and the last four digits of a card, which leaves a hundred thousand candidates: to find the number, a caller
 * sends many that differ in the middle alone, and compares their fingerprints. Real cards of one merchant hardly ever share all ten digits.
 *
 * It counts in the memory of this process, under a key that is made at its start: no number, and nothing that outlives the process, is kept.
 */
export class CardTesting {
  readonly #surroundings: Surroundings
  readonly #key = randomBytes(32)
  #current: Seen = new Map()
  #previous: Seen = new Map()
  #since: number

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
    this.#since = surroundings.clock.now()
  }

  /**
   * Notes a number that a merchant account was given. Throws 429 beyond the most that may be alike; one that was seen before is always taken. A number that cannot be a card's does not
   * count: its request is refused anyway.
   */
  noteNumber(account: string, number: string): void {
    const { mostAlike } = this.#surroundings
    if (mostAlike === 0 || !passesLuhn(number)) return
    this.#turn()
    const alike = this.#hash(`${account}\n${number.slice(0, 6)}\n${number.slice(-4)}`)
    const hash = this.#hash(`${account}\n${number}`)
    const known = [this.#current.get(alike) ?? [], this.#previous.get(alike) ?? []].flat()
    if (known.includes(hash)) return
    if (known.length >= mostAlike) throw this.#refuse(account)
    const here = this.#current.get(alike)
    this.#current.set(alike, here === undefined ? hash : [here, hash].flat())
  }

  /** Tells the operator: a line in the log, and a metric to be alerted by. */
  suspect(signal: CardTestingSignal, account: string | null): void {
    const { log, metrics } = this.#surroundings
    metrics.cardTestingSuspected(signal)
    log.warn({ signal, account }, 'card testing suspected')
  }

  #refuse(account: string): ApiError {
    this.suspect('numbers_alike', account)
    return new ApiError(429, 'too_many_requests', 'Too many different card numbers with the same first and last digits', {
      headers: { 'retry-after': String(SPAN_MS / 1000) },
    })
  }

  #turn(): void {
    const now = this.#surroundings.clock.now()
    if (now - this.#since < SPAN_MS && this.#current.size < MOST_REMEMBERED) return
    this.#previous = now - this.#since < 2 * SPAN_MS ? this.#current : new Map()
    this.#current = new Map()
    this.#since = now
  }

  /** 48 bits: few enough for a plain number, and enough to tell a hundred thousand apart. */
  readonly #hash = (text: string): number => createHmac('sha256', this.#key).update(text).digest().readUIntBE(0, 6)
}
