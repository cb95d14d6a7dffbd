import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, Client, TestRailyard } from '../railyard.ts'

type Merchant = Awaited<ReturnType<TestRailyard['merchant']>>

/** A merchant that takes gift cards: what a test tells its story with. */
export interface GiftShop extends Merchant {
  giftCardServiceId: string
  buyer(): Promise<string>
  /** POST /gift-cards. */
  stores(body: object): Promise<Answer>
  /** The same, where the test goes on with the card. Fails unless it was stored. */
  stored(body?: object): Promise<Answer['body']>
  /** What one card's service says of it. */
  balance(card: object): Promise<Answer['body']>
  /** Takes from a card at the sandbox's provider, as a payment would. */
  spends(card: GiftCardGiven, amount: number): Promise<void>
}

export interface GiftCardGiven {
  number: string
  pin: string
}

let numbers = 6_006_490_000_000_000 + Math.floor(Math.random() * 1_000_000_000)

/** A new card; the PIN decides the outcome (semantics §6.2). */
export function newGiftCard(pin = '05000'): GiftCardGiven {
  numbers += 1
  return { number: String(numbers), pin }
}

export const mockGiftCardService = (more: object = {}) => ({
  gift_card_service_definition_id: 'mock-gift-card',
  display_name: 'Gift cards',
  fields: [{ key: 'api_key', value: 'any' }],
  ...more,
})

/** Configures the gift card service of a merchant. */
export async function addGiftCardService(
  { admin }: TestRailyard,
  { account }: Client,
  more: object = {},
): Promise<string> {
  const answer = await admin.post('/gift-card-services', mockGiftCardService(more), {
    'x-svc-merchant-account-id': account,
  })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.id
}

export async function openGiftShop(
  railyard: TestRailyard,
  options: Parameters<TestRailyard['merchant']>[0] = {},
): Promise<GiftShop> {
  const merchant = await railyard.merchant(options)
  const giftCardServiceId = await addGiftCardService(railyard, merchant)
  const stores: GiftShop['stores'] = (body) => merchant.post('/gift-cards', body)
  return {
    ...merchant,
    giftCardServiceId,
    buyer: async () => (await merchant.post('/buyers', {})).body.id,
    stores,
    async stored(body = {}) {
      const answer = await stores({ ...newGiftCard(), ...body })
      expect(answer).toMatchObject({ status: 201 })
      return answer.body
    },
    balance: async (card) => (await merchant.post('/gift-cards/balances', { items: [card] })).body.items[0],
    async spends(card, amount) {
      const headers = {
        'content-type': 'application/json',
        'x-api-key': 'any',
        'idempotency-key': randomUUID(),
      }
      const body = JSON.stringify({ ...card, amount, currency: 'EUR' })
      const answer = await fetch(`${railyard.simulatorUrl}/gift-card/${giftCardServiceId}/redemptions`, {
        method: 'POST',
        headers,
        body,
      })
      expect(answer.status).toBe(201)
    },
  }
}

interface GiftCardBooks {
  operations: { key: string; kind: string; status: string; amount: number; payment_service_id: string }[]
  cards: { payment_service_id: string; balance: number }[]
}

/** What the provider of one gift card service has booked. */
export async function giftCardBooks({ simulatorUrl }: TestRailyard, service: string): Promise<GiftCardBooks> {
  const { gift_cards } = (await (await fetch(`${simulatorUrl}/books`)).json()) as {
    gift_cards: GiftCardBooks
  }
  const isOurs = ({ payment_service_id }: { payment_service_id: string }) => payment_service_id === service
  return { operations: gift_cards.operations.filter(isOurs), cards: gift_cards.cards.filter(isOurs) }
}

/** The events of a resource, oldest first. */
export const eventsOf = ({ world }: TestRailyard, id: string) =>
  world.run<{ name: string; target: unknown }>(
    'select name, target from events where target_id = $1 order by id',
    [id],
  )
