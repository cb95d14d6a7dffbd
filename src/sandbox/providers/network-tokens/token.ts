import { randomInt } from 'node:crypto'
import { documentStore } from '../../core/documents.ts'
import { postNotification } from '../../core/post-notification.ts'
import type { Sandbox } from '../../sandbox.ts'
import type { ProvisionBody } from './token.schema.ts'

/** A token in the books. Nothing is stored of its card. */
export interface TokenDocument {
  status: 'active' | 'suspended' | 'deleted'
  token: string
  expiration_date: string
  notification_url: string | null
}

const { find: tokenOf, store: storeToken, list } = documentStore<TokenDocument>('network-token')

export { storeToken, tokenOf }

export const allTokens = (sandbox: Sandbox) => list(sandbox).map(({ id, document }) => ({ id, ...document }))

/** The prefix and the length of each scheme's tokens, by the first digit of its cards. */
const ranges: Readonly<Record<string, { prefix: string; length: number }>> = {
  '2': { prefix: '520473', length: 16 },
  '3': { prefix: '374600', length: 15 },
  '4': { prefix: '489537', length: 16 },
  '5': { prefix: '520473', length: 16 },
  '6': { prefix: '601138', length: 16 },
}

/** Makes a token; undefined if the scheme makes none for this card. */
export function provision(
  sandbox: Sandbox,
  id: string,
  { card, notification_url }: ProvisionBody,
): TokenDocument | undefined {
  const range = ranges[card.number.slice(0, 1)]
  if (!range) return undefined
  const middle = Array.from({ length: range.length - range.prefix.length - 1 }, () => randomInt(10)).join('')
  const token = withCheckDigit(range.prefix + middle)
  return storeToken(sandbox, id, {
    status: 'active',
    token,
    expiration_date: card.expiration_date,
    notification_url,
  })
}

/** ISO/IEC 7812-1, annex B. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = index % 2 === 0 ? Number(digit) * 2 : Number(digit)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}

/** Notifies the requestor that its token has changed; it may read the token. */
export const notifyRequestor = async (
  { ending }: Sandbox,
  id: string,
  { notification_url: url }: TokenDocument,
): Promise<void> =>
  url === null ? undefined : postNotification(url, { body: JSON.stringify({ id }) }, ending.signal)
