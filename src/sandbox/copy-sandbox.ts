import type { Books } from './core/books.ts'
import { resumePending } from './core/pending.ts'
import { seededDraw } from './faults/seeded-random.ts'
import type { Sandbox } from './sandbox.ts'

/**
 * Makes `to` a copy of `from`, both in memory: books, faults, and the clocks of the merchants. `rename` changes
 * the URLs of one into those of the other. Seeded faults with a probability begin to draw anew.
 */
export function copySandbox(from: Sandbox, to: Sandbox, rename: (text: string) => string): void {
  to.books = copyBooks(from.books, rename)
  to.clockOffsets = new Map(from.clockOffsets)
  to.faultSeed = from.faultSeed
  to.faults = from.faults.map((fault, index) => ({
    ...fault,
    rateWindow: { ...fault.rateWindow },
    draw: seededDraw(from.faultSeed ?? 0, index),
  }))
  to.declining = new Set(from.declining)
  to.lastAnswers = new Map([...from.lastAnswers].map(([service, answers]) => [service, [...answers]]))
  resumePending(to)
}

const copyBooks = (
  { operations, payments, giftCards, closed, documents, attempts, secret }: Books,
  rename: (text: string) => string,
): Books => ({
  ...renamed({ operations, payments, giftCards, closed, documents, attempts }, rename),
  secret,
  file: null,
})

/** A deep copy, in which each text is renamed. */
function renamed<T>(value: T, rename: (text: string) => string): T
function renamed(value: unknown, rename: (text: string) => string): unknown {
  if (typeof value === 'string') return rename(value)
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename))
  if (value instanceof Map) return new Map([...value].map((pair) => renamed(pair, rename)))
  if (value instanceof Set) return new Set([...value].map((item) => renamed(item, rename)))
  if (value instanceof Date) return new Date(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renamed(member, rename)]))
}
