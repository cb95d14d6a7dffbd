import { expect } from 'vitest'
import type { Answer, Client } from '../railyard.ts'
import type { Payment, Shop } from '../shop.ts'

export const eventsNamed = async (by: Client, name: string) =>
  (await by.get('/events?limit=1000')).body.items.filter((event: Answer['body']) => event.name === name)

export const refusedAt = (pointer: string, message: RegExp | string) => ({
  status: 400,
  body: {
    details: [
      {
        location: 'body',
        pointer,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      },
    ],
  },
})

/** Simulates what happens to payments of a shop. */
export function simulationsOf(shop: Shop) {
  const simulate = (
    { id }: Pick<Payment, 'id'>,
    event: string,
    more: object = {},
    by: Client = shop,
  ): Promise<Answer> => by.post(`/sandbox/transactions/${id}/simulate`, { event, ...more })

  const list = async (payment: Payment, name: string) =>
    (await shop.get(`/transactions/${payment.id}/${name}`)).body.items

  return { simulate, list }
}
