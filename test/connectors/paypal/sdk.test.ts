import {
  ApiError,
  CheckoutPaymentIntent,
  Client,
  Environment,
  OrdersController,
  PaymentsController,
  PaypalWalletContextShippingPreference,
} from '@paypal/paypal-server-sdk'
import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { simulatedWallet, simulatorUrl } from '../redirect-simulators.ts'

/** The payment service whose account the SDK uses. */
const SERVICE = '01a20008-7d03-7085-af8e-000000000001'
const provider = simulatedWallet.provider()

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const isMethod = (method: string | undefined): method is HttpRequest['method'] =>
  methods.some((each) => each === method)

/** What the SDK's HTTP client hands over, as far as it is read here. */
interface Outgoing {
  method?: string
  url?: string
  data?: unknown
  headers: { toJSON(): Record<string, unknown> }
}

/** Answers in place of PayPal, whose URL the SDK has built in. */
async function answer(config: Outgoing) {
  const method = config.method?.toUpperCase()
  const { origin, pathname, search } = new URL(config.url ?? '')
  if (origin !== 'https://api-m.sandbox.paypal.com' || !isMethod(method))
    throw new Error(`${method} ${origin}`)
  const headers = Object.entries(config.headers.toJSON()).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value]] : [],
  )
  const text = typeof config.data === 'string' ? config.data : ''
  const isForm = headers.some(([name, value]) => name === 'content-type' && value?.includes('urlencoded'))
  const { status, body } = provider.receive({
    method,
    url: `${simulatorUrl}/wallet/${SERVICE}${pathname}${search}`,
    headers: Object.fromEntries(headers),
    ...(text &&
      (isForm ? { form: Object.fromEntries(new URLSearchParams(text)) } : { body: JSON.parse(text) })),
  })
  const data = body === undefined ? '' : JSON.stringify(body)
  return { status, statusText: '', headers: { 'content-type': 'application/json' }, data, config }
}

const client = new Client({
  environment: Environment.Sandbox,
  clientCredentialsAuthCredentials: { oAuthClientId: 'client-1', oAuthClientSecret: 'secret-1' },
  unstable_httpClientOptions: { adapter: answer },
})
const orders = new OrdersController(client)
const payments = new PaymentsController(client)

let requests = 0
/** The SDK's idempotency keys; Railyard's are UUIDs, too. */
const nextKey = (): string => {
  requests += 1
  return `01a20008-7d03-7085-bf8e-${String(requests).padStart(12, '0')}`
}

const eur = (value: string) => ({ currencyCode: 'EUR', value })
const prefer = 'return=representation'

async function approvedOrder(intent: CheckoutPaymentIntent, value = '30.00'): Promise<string> {
  const { result } = await orders.createOrder({
    paypalRequestId: nextKey(),
    prefer,
    body: {
      intent,
      purchaseUnits: [{ amount: eur(value), customId: 'order-7' }],
      paymentSource: {
        paypal: {
          experienceContext: {
            shippingPreference: PaypalWalletContextShippingPreference.NoShipping,
            returnUrl: 'https://shop.example/return',
            cancelUrl: 'https://shop.example/cancel',
          },
        },
      },
    },
  })
  const page = result.links?.find(({ rel }) => rel === 'payer-action')?.href ?? ''
  provider.visit?.(page, 'approve')
  // the buyer's page answers after this test has gone on
  await new Promise((resolve) => setImmediate(resolve))
  return result.id ?? ''
}

describe('PayPal’s own SDK and the simulator', () => {
  test('authorize, capture in parts, and refund one of the captures', async () => {
    const id = await approvedOrder(CheckoutPaymentIntent.Authorize)
    expect((await orders.getOrder({ id })).result).toMatchObject({ id, status: 'APPROVED' })
    const { result } = await orders.authorizeOrder({ id, paypalRequestId: nextKey(), prefer })
    const authorization = result.purchaseUnits?.[0]?.payments?.authorizations?.[0]
    expect(authorization).toMatchObject({ status: 'CREATED', amount: eur('30.00') })
    const capture = async (value: string, finalCapture: boolean) =>
      (
        await payments.captureAuthorizedPayment({
          authorizationId: authorization?.id ?? '',
          paypalRequestId: nextKey(),
          prefer,
          body: { amount: eur(value), finalCapture, invoiceId: nextKey() },
        })
      ).result
    const first = await capture('10.00', false)
    expect(first).toMatchObject({ status: 'COMPLETED', amount: eur('10.00'), finalCapture: false })
    expect(await capture('15.00', true)).toMatchObject({ status: 'COMPLETED', finalCapture: true })
    const refund = await payments.refundCapturedPayment({
      captureId: first.id ?? '',
      paypalRequestId: nextKey(),
      prefer,
      body: { amount: eur('4.00'), invoiceId: nextKey() },
    })
    expect(refund.result).toMatchObject({ status: 'COMPLETED', amount: eur('4.00') })
    expect((await payments.getRefund({ refundId: refund.result.id ?? '' })).result.links).toContainEqual(
      expect.objectContaining({ rel: 'up', href: expect.stringContaining(`/captures/${first.id}`) }),
    )
    expect((await payments.getCapturedPayment({ captureId: first.id ?? '' })).result).toMatchObject({
      status: 'PARTIALLY_REFUNDED',
    })
  })

  test('a sale, and the same order captured again', async () => {
    const id = await approvedOrder(CheckoutPaymentIntent.Capture)
    const paypalRequestId = nextKey()
    const { result } = await orders.captureOrder({ id, paypalRequestId, prefer })
    expect(result.purchaseUnits?.[0]?.payments?.captures?.[0]).toMatchObject({ status: 'COMPLETED' })
    expect((await orders.captureOrder({ id, paypalRequestId, prefer })).result.id).toBe(id)
    await expect(orders.captureOrder({ id, paypalRequestId: nextKey() })).rejects.toMatchObject({
      statusCode: 422,
    })
  })

  test('a void, and a refusal that the SDK reads as an error', async () => {
    const id = await approvedOrder(CheckoutPaymentIntent.Authorize)
    const { result } = await orders.authorizeOrder({ id, paypalRequestId: nextKey(), prefer })
    const authorizationId = result.purchaseUnits?.[0]?.payments?.authorizations?.[0]?.id ?? ''
    const voided = await payments.voidPayment({ authorizationId, paypalRequestId: nextKey(), prefer })
    expect(voided.result).toMatchObject({ id: authorizationId, status: 'VOIDED' })
    const refused = payments.captureAuthorizedPayment({
      authorizationId,
      paypalRequestId: nextKey(),
      body: { amount: eur('1.00') },
    })
    await expect(refused).rejects.toBeInstanceOf(ApiError)
    await expect(refused).rejects.toMatchObject({ statusCode: 422 })
  })
})
