import { createHmac } from 'node:crypto'
import { record } from '../../core/books.ts'
import type { CardDigits } from '../../core/payment.ts'
import type { Sandbox } from '../../sandbox.ts'
import { cardDigits } from './checks.ts'

const documentId = (service: string, token: string) => `card-token/${service}/${token}`

/** Keeps a card for one payment service, and answers its token: the same one for the same key. Of the card only the digits are kept that may be. */
export function storeCard({ books }: Sandbox, service: string, key: string, number: string): string {
  const token = `tok_${createHmac('sha256', books.secret).update(`${service}/${key}`).digest('base64url')}`
  const id = documentId(service, token)
  if (!books.documents.has(id)) record(books, { entry: 'document', id, document: cardDigits(number) })
  return token
}

/** The card behind a token; undefined where this payment service knows no such token. Only this file writes these documents. */
export const findStoredCard = ({ books }: Sandbox, service: string, token: string) =>
  books.documents.get(documentId(service, token)) as CardDigits | undefined
