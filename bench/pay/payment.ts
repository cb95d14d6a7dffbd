import type { Instance } from '../instance.ts'
import type { Load } from '../load.ts'

/** A typical payment of a shop: a card, a buyer with an address, its own order number. */
export const payment = {
  amount: 1299,
  currency: 'USD',
  country: 'US',
  external_identifier: 'order-1048576',
  payment_method: {
    method: 'card',
    number: '4111111111111111',
    expiration_date: '12/35',
    security_code: '123',
  },
  buyer: {
    display_name: 'Ada Lovelace',
    external_identifier: 'customer-4711',
    billing_details: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      email_address: 'ada@example.com',
      address: { line1: '12 St James Square', city: 'London', country: 'GB', postal_code: 'SW1Y 4JH' },
    },
  },
  metadata: { cart: '8c1d0f', channel: 'web' },
}

export const headersOf = ({ token }: Pick<Instance, 'token'>) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
})

/** The load of such payments; the caller sets the other members. */
export const payments = (instance: Pick<Instance, 'url' | 'token'>): Omit<Load, 'connections' | 'until'> => ({
  url: instance.url,
  method: 'POST',
  paths: ['/transactions'],
  headers: headersOf(instance),
  body: JSON.stringify(payment),
})

/** Makes one payment and returns it. */
export async function pay(
  instance: Pick<Instance, 'url' | 'token'>,
): Promise<{ id: string } & Record<string, unknown>> {
  const answer = await fetch(`${instance.url}/transactions`, {
    method: 'POST',
    headers: headersOf(instance),
    body: JSON.stringify(payment),
  })
  if (answer.status !== 201)
    throw new Error(`a payment was answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { id: string }
}
