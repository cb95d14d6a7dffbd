import { readFile } from 'node:fs/promises'
import type { BookEntry } from '../../src/sandbox/core/books.ts'
import type { Result } from '../../src/sandbox/core/operation.ts'
import type { Payment } from '../../src/sandbox/core/payment.ts'
import type { GiftCardProviderBooks } from '../support/checks/gift-card-differences.ts'

/** The payment service's books, which are the truth. */
export interface Books {
  operations: Map<string, Result>
  payments: Map<string, Payment>
  giftCards: GiftCardProviderBooks
  /** Every line of the file, in order. */
  entries: BookEntry[]
}

export async function readBooks(simulatorUrl: string, file: string): Promise<Books> {
  const answer = await fetch(`${simulatorUrl}/books`)
  const { operations, payments, gift_cards } = (await answer.json()) as {
    operations: Result[]
    payments: Payment[]
    gift_cards: GiftCardProviderBooks
  }
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return {
    operations: new Map(operations.map((operation) => [operation.key, operation])),
    payments: new Map(payments.map((payment) => [payment.payment_id, payment])),
    giftCards: gift_cards,
    entries: lines.map((line): BookEntry => JSON.parse(line)),
  }
}
