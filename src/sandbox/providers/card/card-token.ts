import { createHmac } from 'node:crypto'
import { documentStore } from '../../core/documents.ts'
import type { CardDigits } from '../../core/payment.ts'
import type { Sandbox } from '../../sandbox.ts'
import { cardDigits } from './checks.ts'

const cardsOf = (service: string) => documentStore<CardDigits>(`card-token/${service}`)

/**
 * Stores a card for one payment service and returns its token, which is the same for the same key. Only the
 * BIN and the last four digits are stored.
 */
export function storeCard(sandbox: Sandbox, service: string, key: string, number: string): string {
  const token = `tok_${createHmac('sha256', sandbox.books.secret).update(`${service}/${key}`).digest('base64url')}`
  if (!findStoredCard(sandbox, service, token)) cardsOf(service).store(sandbox, token, cardDigits(number))
  return token
}

/** The card of a token; undefined if this payment service has no such token. */
export const findStoredCard = (sandbox: Sandbox, service: string, token: string): CardDigits | undefined =>
  cardsOf(service).find(sandbox, token)
