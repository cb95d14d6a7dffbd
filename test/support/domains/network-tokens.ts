import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { type Client, card, type TestRailyard } from '../railyard.ts'

/** The settings of a merchant account that may have tokens of Visa and Mastercard; the ids are its own. */
export const withNetworkTokens = (more: Record<string, unknown> = {}) => {
  const ids = (scheme: string) => ({
    [`${scheme}_network_tokens_requestor_id`]: randomUUID(),
    [`${scheme}_network_tokens_app_id`]: randomUUID(),
  })
  return { ...ids('visa'), ...ids('mastercard'), ...more }
}

/** Stores a card and answers its id. */
export async function storeCard(merchant: Client, more: Record<string, unknown> = {}): Promise<string> {
  const { number, expiration_date } = card
  const answer = await merchant.post('/payment-methods', { number, expiration_date, ...more })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.id
}

/** What the token service has in its books. */
export async function tokenBooks({
  simulatorUrl,
}: TestRailyard): Promise<{ id: string; token: string; status: string }[]> {
  return (
    (await (await fetch(`${simulatorUrl}/tokens`)).json()) as {
      items: { id: string; token: string; status: string }[]
    }
  ).items
}

/** A scheme changes a token by itself, and tells. */
export async function schemeChanges(
  { simulatorUrl }: TestRailyard,
  id: string,
  change: Record<string, unknown>,
): Promise<void> {
  const answer = await fetch(`${simulatorUrl}/tokens/${id}/scheme`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
  expect(answer.status).toBe(200)
}
