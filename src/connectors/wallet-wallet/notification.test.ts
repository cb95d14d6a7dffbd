import { createServer, type Server } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contract } from '../../../test/contracts/contract.ts'
import {
  type Asked,
  checkWalletWire,
  goTo,
  openWalletShop,
  type WalletShop,
} from '../../../test/support/domains/wallet.ts'
import { booksOf, expectBooksMatch, recoverFully } from '../../../test/support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'

interface Message {
  path: string
  headers: Record<string, string>
  body: string
}

/** Receives the wallet's notifications and stores them, so that the test delivers them as it likes. */
let postbox: Server
let arrived: Message[] = []
let railyard: TestRailyard
let shop: WalletShop

beforeAll(async () => {
  postbox = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => name.startsWith('paypal-')),
      )
      arrived.push({
        path: request.url ?? '',
        headers: headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      })
      response.end('{}')
    })
  })
  await new Promise<void>((resolve) => postbox.listen(0, '127.0.0.1', resolve))
  const address = postbox.address()
  railyard = await startTestRailyard({
    PUBLIC_URL: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
  })
  shop = await openWalletShop(railyard)
})
beforeEach(() => {
  arrived = []
})
afterEach(() => expectBooksMatch(railyard, shop.account))
afterAll(async () => {
  postbox.closeAllConnections()
  await new Promise((resolve) => postbox.close(resolve))
  await railyard.close()
})

const typeOf = ({ body }: Message): string => JSON.parse(body).event_type

const arrival = async (type: string): Promise<Message> => {
  const found = () => arrived.find((message) => typeOf(message) === type)
  await expect.poll(found).toBeDefined()
  const message = found()
  if (!message) throw new Error(`${type} has not arrived`)
  return message
}

const deliver = ({ path, headers, body }: Message, more: Record<string, string> = {}) =>
  railyard.send('POST', path, { body, headers: { 'content-type': 'application/json', ...headers, ...more } })

/** A payment that its buyer approved without returning; the wallet has sent its notification. */
async function approved(more: object = {}): Promise<{ payment: Asked; message: Message }> {
  const payment = await shop.asked(42_00, { ...more })
  await payment.buyer.approve()
  return { payment, message: await arrival('CHECKOUT.ORDER.APPROVED') }
}

const received = { status: 200, body: { received: true } }
const forged = { status: 401 }

test('the wallet sends a notification for each step of a payment, in the provider’s form', async () => {
  const { payment, message } = await approved()
  await deliver(message)
  await recoverFully(railyard)
  await arrival('PAYMENT.AUTHORIZATION.CREATED')
  await payment.capture()
  await arrival('PAYMENT.CAPTURE.COMPLETED')
  await payment.refund()
  const types = [
    'CHECKOUT.ORDER.APPROVED',
    'PAYMENT.AUTHORIZATION.CREATED',
    'PAYMENT.CAPTURE.COMPLETED',
    'PAYMENT.CAPTURE.REFUNDED',
  ]
  await expect.poll(() => arrived.map(typeOf)).toEqual(types)
  const { schema } = contract('wallet-webhooks')
  expect(arrived.flatMap(({ body }) => schema('event', JSON.parse(body)))).toEqual([])
})

test.each([
  [{}, 540001, ['CHECKOUT.ORDER.APPROVED', 'PAYMENT.AUTHORIZATION.VOIDED'], 'cancel'],
  [
    {},
    42_00,
    ['CHECKOUT.ORDER.APPROVED', 'PAYMENT.AUTHORIZATION.CREATED', 'PAYMENT.AUTHORIZATION.VOIDED'],
    'void',
  ],
  [{ intent: 'capture' }, 540001, ['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.PENDING'], 'sync'],
  [{ intent: 'capture' }, 200011, ['CHECKOUT.ORDER.APPROVED', 'PAYMENT.CAPTURE.DENIED'], 'sync'],
] as const)(
  'the wallet sends a notification of the outcome: %j of %i',
  async (more, amount, types, action) => {
    const payment = await shop.asked(amount, more)
    const returnUrl = await payment.buyer.approve()
    // each notification is a request of its own, and none waits for another
    await arrival('CHECKOUT.ORDER.APPROVED')
    await goTo(returnUrl.replace(railyard.world.publicUrl, railyard.url))
    for (const type of types.slice(0, -1)) await arrival(type)
    await payment[action]()
    await expect.poll(() => arrived.map(typeOf)).toEqual(types)
  },
)

describe('a notification of the wallet', () => {
  test('that the buyer’s account is stored decides the payment that waits for it', async () => {
    const { http } = railyard.world
    const send = http.request
    // PayPal makes the token after the payment
    http.request = async (request) => {
      const answer = await send(request)
      return answer.lost || !('purchase_units' in answer.body)
        ? answer
        : {
            ...answer,
            body: {
              ...answer.body,
              payment_source: { paypal: { attributes: { vault: { status: 'APPROVED' } } } },
            },
          }
    }
    const { payment, message } = await approved({ store: true })
    await deliver(message)
    await recoverFully(railyard)
    http.request = send
    expect(await payment.read()).toMatchObject({ status: 'processing' })
    const stored = await arrival('VAULT.PAYMENT-TOKEN.CREATED')
    expect(contract('wallet-webhooks').schema('event', JSON.parse(stored.body))).toEqual([])
    expect(await deliver(stored)).toMatchObject(received)
    await expect.poll(async () => (await payment.read()).status).toBe('authorization_succeeded')
    const { payment_method: method } = await payment.read()
    expect(await shop.get(`/payment-methods/${method.id}`)).toMatchObject({ status: 200 })
  })

  test('that the buyer approved completes the payment', async () => {
    const { payment, message } = await approved()
    expect(await deliver(message)).toMatchObject(received)
    await recoverFully(railyard)
    expect(await payment.read()).toMatchObject({
      status: 'authorization_succeeded',
      authorized_amount: 42_00,
    })
  })

  test('that arrives many times concurrently has one effect', async () => {
    const { payment, message } = await approved()
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(message)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await recoverFully(railyard)
    expect(await deliver(message)).toMatchObject({ status: 200, body: { received: false } })
    expect((await payment.read()).authorized_amount).toBe(42_00)
    const { operations } = await booksOf(railyard)
    expect(
      operations.filter(({ payment_id }) => payment_id === payment.created.payment_service_transaction_id),
    ).toHaveLength(1)
  })

  test('that is late or out of order has no wrong effect', async () => {
    const { payment, message } = await approved()
    await deliver(message)
    await recoverFully(railyard)
    await payment.capture()
    await arrival('PAYMENT.CAPTURE.COMPLETED')
    for (const late of [...arrived].reverse()) expect((await deliver(late)).status).toBe(200)
    expect(await payment.read()).toMatchObject({ status: 'capture_succeeded', captured_amount: 42_00 })
  })

  test('of a client integration does not complete the payment: the merchant does', async () => {
    const { payment, message } = await approved({ integration_client: 'web' })
    await deliver(message)
    await recoverFully(railyard)
    expect((await payment.read()).status).toBe('buyer_approval_pending')
  })

  test('of one payment does not change another', async () => {
    const payment = await shop.asked(42_00)
    const { message } = await approved()
    await deliver(message)
    await recoverFully(railyard)
    expect((await payment.read()).status).toBe('buyer_approval_pending')
  })
})

describe('a forged notification is refused, and Railyard sends nothing because of it', () => {
  const forgeries: [string, (message: Message) => Message][] = [
    ['another text', (message) => ({ ...message, body: message.body.replace('WH-', 'WH+') })],
    ['another time', (message) => withHeader(message, 'paypal-transmission-time', '2020-01-01T00:00:00Z')],
    ['another id', (message) => withHeader(message, 'paypal-transmission-id', 'made-up')],
    [
      'another signature',
      (message) => withHeader(message, 'paypal-transmission-sig', Buffer.from('no').toString('base64')),
    ],
    ['another algorithm', (message) => withHeader(message, 'paypal-auth-algo', 'none')],
    [
      'a certificate from elsewhere',
      (message) => withHeader(message, 'paypal-cert-url', 'https://paypal.com.example/cert.pem'),
    ],
    [
      'a certificate of an impostor with the wallet’s name',
      (message) => withHeader(message, 'paypal-cert-url', 'https://x@evil.example/paypal.com'),
    ],
    ['no URL at all', (message) => withHeader(message, 'paypal-cert-url', 'nowhere')],
    ['no signature', ({ path, body }) => ({ path, body, headers: {} })],
  ]
  const withHeader = (message: Message, name: string, value: string): Message => ({
    ...message,
    headers: { ...message.headers, [name]: value },
  })

  test.each(forgeries)('%s', async (_name, forge) => {
    const { payment, message } = await approved()
    const wire = checkWalletWire(railyard)
    expect(await deliver(forge(message))).toMatchObject(forged)
    expect(wire.calls).toBe(0)
    expect((await payment.read()).status).toBe('buyer_approval_pending')
  })

  test('a notification for another webhook', async () => {
    const { message } = await approved()
    const other = await openWalletShop(railyard, { webhook_id: 'WEBHOOK2' })
    const { body } = await railyard.admin.get(`/payment-services/${other.walletServiceId}`, {
      'x-svc-merchant-account-id': other.account,
    })
    expect(await deliver({ ...message, path: new URL(body.webhook_url).pathname })).toMatchObject(forged)
  })

  test('a notification without a configured webhook cannot be verified: it is accepted and ignored', async () => {
    const { message } = await approved()
    const other = await openWalletShop(railyard, { webhook_id: undefined })
    const { body } = await railyard.admin.get(`/payment-services/${other.walletServiceId}`, {
      'x-svc-merchant-account-id': other.account,
    })
    expect(await deliver({ ...message, path: new URL(body.webhook_url).pathname })).toMatchObject({
      status: 200,
      body: { received: false },
    })
  })

  test('a notification that is signed with an expired certificate', async () => {
    const { message } = await approved()
    railyard.clock.advance(11 * 365 * 86_400_000)
    expect(await deliver(message)).toMatchObject(forged)
  })
})
