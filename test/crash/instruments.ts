import type { Client } from './client.ts'

/** The buyers' instruments besides full card numbers. */
export interface Instruments {
  /** Stored payment methods, by their ids. */
  methods: string[]
  /** Checkout sessions with a card in their fields. */
  sessions: string[]
  /** Stored gift cards. */
  giftCards: string[]
  /** The payment service that makes payouts. */
  paymentService: string
}

const OF_EACH = 4

/** A gift card with a balance for some payments only, so that it refuses later ones. */
export const giftCard = (number: number) => ({
  number: `60360000${String(number).padStart(8, '0')}`,
  pin: '0900000',
})

/** Stores a few instruments of each kind, before the load starts. */
export async function createInstruments(client: Client): Promise<Instruments> {
  const services = await client.get('/payment-services?method=card')
  const purse: Instruments = {
    methods: [],
    sessions: [],
    giftCards: [],
    paymentService: services.body.items[0].id,
  }
  const created = async (path: string, body: object): Promise<string> => {
    const answer = await client.post(path, body)
    if (answer.status !== 201) throw new Error(`${path} was answered ${answer.text}`)
    return answer.body.id
  }
  for (let count = 0; count < OF_EACH; count++) {
    purse.methods.push(
      await created('/payment-methods', {
        method: 'card',
        number: '4111111111111111',
        expiration_date: '12/35',
      }),
    )
    purse.giftCards.push(await created('/gift-cards', giftCard(90_000 + count)))
    const session = await created('/checkout/sessions', {})
    const entered = {
      payment_method: {
        method: 'card',
        number: '4111111111111111',
        expiration_date: '12/35',
        security_code: '123',
      },
    }
    const { status, text } = await client.post(`/checkout/sessions/${session}/fields`, entered)
    if (status !== 204) throw new Error(`the fields of a session were answered ${text}`)
    purse.sessions.push(session)
  }
  return purse
}
