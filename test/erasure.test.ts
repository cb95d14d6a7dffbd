import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { BuyerCreate, BuyerUpdate, GuestBuyer, ShippingDetailsCreate } from '../src/buyers/buyer.schema.ts'
import { CheckoutSessionUpdate } from '../src/checkout/sessions/checkout-session.schema.ts'
import { unpackCodes } from '../src/insights/columns/packed-column.ts'
import { PaymentLinkCreate } from '../src/payment-links/payment-link.schema.ts'
import { openLink, type PaymentLinkRow } from '../src/payment-links/payment-link.ts'
import { BrowserInfo, TransactionCreate, TransactionUpdate } from '../src/transactions/transaction.schema.ts'
import { TransactionCaptureCreate } from '../src/transactions/views/capture.schema.ts'
import { TransactionRefundCreate } from '../src/transactions/views/refund.schema.ts'
import { personalCanaries } from './support/checks/personal-canaries.ts'
import { addAntiFraudService } from './support/domains/anti-fraud.ts'
import { openBnplShop } from './support/domains/bnpl.ts'
import { addGiftCardService, newGiftCard } from './support/domains/gift-cards.ts'
import { withNetworkTokens } from './support/domains/network-tokens.ts'
import { sendLink } from './support/domains/payment-links.ts'
import { payoutOf } from './support/domains/payouts.ts'
import { execute, startWithoutReportRounds, transactionsReport } from './support/domains/reports.ts'
import { authenticatedPayment, challenge, openSecureShop, scenario } from './support/domains/secure-shop.ts'
import { goTo, openWalletShop } from './support/domains/wallet.ts'
import { updateInsights } from './support/insights.ts'
import { type Client, card } from './support/railyard.ts'
import { startReceiver, subscribe } from './support/receiver.ts'
import { searchDatabase } from './support/search-database.ts'
import { openShop, type Shop } from './support/shop.ts'

type Body = Record<string, unknown>

// everything that a shop does with a buyer, and every row of the database
vi.setConfig({ testTimeout: 120_000 })

const railyard = await startWithoutReportRounds()

const canaries = personalCanaries()
/** All texts sent to the API: some canaries fit no request and were not sent. */
const sent: string[] = []
const IP_ADDRESS = '203.0.113.177'

const filled = (schema: Parameters<typeof canaries.fill>[0], more: Body = {}): Body => ({
  ...(canaries.fill(schema) as Body),
  ...more,
})
/** The options that no payment service of the test reads. */
const connection_options = () => ({
  'adyen-card': { riskData: { [canaries.make('option')]: canaries.make('option') } },
})
/** Values that are sealed in the database, so that the search cannot find them. */
const sealed: string[] = []

/** A payment with every member that may identify its buyer. */
function payment(more: Body = {}): Body {
  const { buyer_external_identifier: _, payment_method: __, ...body } = filled(TransactionCreate)
  return {
    ...body,
    amount: 10_00,
    currency: 'EUR',
    payment_method: paidBy(),
    connection_options: connection_options(),
    ...more,
  }
}

const paidBy = (): Body => ({
  ...card,
  redirect_url: `https://shop.example/${canaries.make('back')}`,
})

/** A shop whose requests are recorded. */
const watched = <S extends Client>(shop: S): S => ({
  ...shop,
  post: (path: string, body?: unknown, headers?: Record<string, string>) => {
    sent.push(JSON.stringify([body, headers]))
    return shop.post(path, body, headers)
  },
  put: (path: string, body: unknown) => {
    sent.push(JSON.stringify(body))
    return shop.put(path, body)
  },
})

async function created(answer: ReturnType<Client['post']>) {
  const { status, body } = await answer
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

/** A buyer with all personal members. */
const storedBuyer = (shop: Client) => created(shop.post('/buyers', filled(BuyerCreate)))

/** Everything that a shop does with a buyer except payments. */
async function keepsBuyer(
  shop: Shop,
): Promise<{ id: string; external_identifier: string; method: string; shipping: string }> {
  const { id } = await storedBuyer(shop)
  const { body } = await shop.put(`/buyers/${id}`, filled(BuyerUpdate))
  const shipping = (await created(shop.post(`/buyers/${id}/shipping-details`, filled(ShippingDetailsCreate))))
    .id
  const gone = (await created(shop.post(`/buyers/${id}/shipping-details`, filled(ShippingDetailsCreate)))).id
  await shop.put(`/buyers/${id}/shipping-details/${gone}`, filled(ShippingDetailsCreate))
  await shop.delete(`/buyers/${id}/shipping-details/${gone}`)
  const { security_code: _, ...withoutCode } = card
  const stored = () =>
    created(
      shop.post('/payment-methods', {
        ...withoutCode,
        buyer_id: id,
        external_identifier: canaries.make('method'),
      }),
    )
  const method = (await stored()).id
  await shop.delete(`/payment-methods/${(await stored()).id}`)
  await created(shop.post('/gift-cards', { ...newGiftCard(), buyer_id: id }))
  const activation = { ...newGiftCard(), store: true, buyer_id: id, amount: 10_00, currency: 'EUR' }
  const activated = await created(
    shop.post('/gift-cards/activations', activation, { 'idempotency-key': randomUUID() }),
  )
  await shop.delete(`/gift-cards/${activated.id}`)
  return { id, external_identifier: body.external_identifier, method, shipping }
}

/** A buyer who was deleted before their stored card, so that later events of the card name no buyer. */
async function hadBuyer(shop: Shop): Promise<string> {
  const { id } = await storedBuyer(shop)
  const { security_code: _, ...withoutCode } = card
  const method = (
    await created(
      shop.post('/payment-methods', {
        ...withoutCode,
        buyer_id: id,
        external_identifier: canaries.make('method'),
      }),
    )
  ).id
  await shop.put(`/payment-methods/${method}`, { expiration_date: '11/40' })
  await shop.delete(`/buyers/${id}`)
  await shop.delete(`/payment-methods/${method}`)
  return id
}

async function takesPayments(shop: Shop, buyer: Awaited<ReturnType<typeof keepsBuyer>>): Promise<void> {
  const { id: buyer_id, external_identifier, method, shipping } = buyer
  const from = { 'x-forwarded-for': IP_ADDRESS }
  const keyed = () => ({ ...from, 'idempotency-key': randomUUID() })
  const guest = () => filled(GuestBuyer, { external_identifier })
  const rule = {
    display_name: 'Any',
    action: 'route-transaction',
    outcome: { attempts: [{ payment_service_id: shop.paymentServiceId }] },
  }
  const known = (field: string) => ({ field, operator: 'is_null', value: false })
  // the explanation of the decision has the payment's values
  const condition = { all: [known('buyer_external_identifier'), known('metadata.note')] }
  const { status } = await shop.post('/flows/card-transaction/rules', { ...rule, condition })
  expect(status).toBe(201)
  expect((await shop.post('/flows/card-transaction/rules/publish', {})).status).toBe(200)
  const paid = await created(
    shop.post(
      '/transactions',
      payment({ buyer_id, buyer: guest(), metadata: { note: canaries.make('metadata') } }),
      keyed(),
    ),
  )
  const at = `/transactions/${paid.id}`
  await shop.post(`${at}/capture`, filled(TransactionCaptureCreate, { amount: 9_00 }), {
    'idempotency-key': randomUUID(),
  })
  await shop.post(`${at}/refunds`, filled(TransactionRefundCreate, { amount: 1_00 }), {
    'idempotency-key': randomUUID(),
  })
  await shop.put(at, filled(TransactionUpdate, { connection_options: connection_options() }))
  await shop.post(`${at}/sync`)
  const withStored = {
    payment_method: { method: 'id', id: method },
    buyer_id,
    shipping_details_id: shipping,
    buyer: undefined,
  }
  await created(shop.post('/transactions', payment(withStored), keyed()))
  await created(
    shop.post(
      '/transactions',
      payment({
        buyer_id,
        store: true,
        payment_method: { ...paidBy(), external_identifier: canaries.make('method') },
      }),
      keyed(),
    ),
  )
  await created(shop.post('/transactions', payment({ buyer_id, amount: 200_011 }), keyed()))
  // no payment service is eligible, so none is tried
  await created(shop.post('/transactions', payment({ buyer_id, currency: 'CHF' }), keyed()))
  await created(
    shop.post(
      '/transactions',
      payment({ buyer: guest(), gift_cards: [{ ...newGiftCard(), amount: 1_00 }] }),
      keyed(),
    ),
  )
  await paysBySession(shop, guest())
  await paysByLink(shop, buyer_id, guest())
  await created(
    shop.post(
      '/payouts',
      payoutOf(shop.paymentServiceId, {
        buyer: undefined,
        buyer_id,
        payment_method: { method: 'id', id: method },
      }),
      keyed(),
    ),
  )
  await created(
    shop.post(
      '/payouts',
      payoutOf(shop.paymentServiceId, { buyer: { ...guest(), shipping_details: null } }),
      keyed(),
    ),
  )
}

async function paysBySession(shop: Shop, buyer: Body): Promise<void> {
  const opened = async () =>
    (
      await created(
        shop.post(
          '/checkout/sessions',
          filled(CheckoutSessionUpdate, { buyer, amount: 5_00, currency: 'EUR' }),
        ),
      )
    ).id
  await opened()
  const id = await opened()
  const fields = { payment_method: card, postal_code: canaries.make('postal') }
  sent.push(JSON.stringify(fields))
  const json = { 'content-type': 'application/json' }
  expect(
    (
      await railyard.send('PUT', `/checkout/sessions/${id}/fields`, {
        headers: json,
        body: JSON.stringify(fields),
      })
    ).status,
  ).toBe(204)
  await created(
    shop.post('/transactions', {
      amount: 5_00,
      currency: 'EUR',
      payment_method: { method: 'checkout-session', id },
    }),
  )
}

async function paysByLink(shop: Shop, buyer_id: string, buyer: Body): Promise<void> {
  const link = (more: Body) =>
    filled(PaymentLinkCreate, {
      amount: 12_99,
      country: 'DE',
      currency: 'EUR',
      connection_options: connection_options(),
      ...more,
    })
  const paid = await sendLink(railyard, shop, link({ buyer_id, buyer: null }))
  const device = canaries.fill(browserInfo)
  sent.push(JSON.stringify(device))
  await paid.pay(undefined, { browserInfo: device as never, ipAddress: IP_ADDRESS })
  const unpaid = link({ buyer })
  sealed.push(JSON.stringify(unpaid['connection_options']))
  await sendLink(railyard, shop, unpaid)
}

/** As a payment has it, where it is personal as a whole. */
const browserInfo = { ...BrowserInfo, 'x-personal': 'restricted' }

async function keepsBooks(shop: Shop): Promise<void> {
  const fields = [
    'id',
    'metadata',
    'buyer_external_identifier',
    'billing_details_last_name',
    'billing_details_email_address',
  ]
  expect((await execute(railyard, shop, transactionsReport({}, { fields }))).status).toBe('succeeded')
  await updateInsights(railyard)
  await railyard.sender.runOnce()
}

test('an erasure leaves nothing personal of the buyer in the database', async () => {
  const shop = watched(await openShop(railyard, { settings: withNetworkTokens() }))
  await addGiftCardService(railyard, shop)
  const receiver = await startReceiver()
  // a receiver that repeats its request in its answer
  receiver.answers(({ text }, reply) => void reply.writeHead(200).end(text))
  await subscribe(railyard, shop.account, receiver)
  const buyer = await keepsBuyer(shop)
  await takesPayments(shop, buyer)
  const formerBuyer = await hadBuyer(shop)
  await keepsBooks(shop)
  await receiver.close()

  const wallet = await openWalletShop(railyard)
  const ofWallet = await storedBuyer(watched(wallet))
  const { payment_method: _, ...order } = payment({ buyer_id: ofWallet.id, country: 'US' })
  sent.push(JSON.stringify(order))
  const asked = await wallet.asked(10_00, order)
  await goTo(await asked.buyer.approve())
  await asked.capture()
  const { payer_email } = (await asked.read()).additional_identifiers

  const bnpl = await openBnplShop(railyard)
  const ofBnpl = await storedBuyer(watched(bnpl))
  const { payment_method: __, cart_items: ___, ...basket } = payment({ buyer_id: ofBnpl.id, country: 'DE' })
  sent.push(JSON.stringify(basket))
  await bnpl.paidOnPage(10_00, basket)

  const secure = watched(await openSecureShop(railyard))
  await addAntiFraudService(railyard, secure)
  await scenario(railyard, secure, 10_00, 'C', 'Y')
  const ofSecure = await storedBuyer(secure)
  const challenged = await created(
    secure.post('/transactions', payment({ buyer_id: ofSecure.id, ...authenticatedPayment() })),
  )
  await challenge(railyard, challenged.payment_method.approval_url)

  const all = sent.join('\n')
  const texts = [...new Set(canaries.all().filter((text) => all.includes(text))), payer_email, IP_ADDRESS]
  const before = new Set((await searchDatabase(railyard.world, texts)).map(({ text }) => text))
  expect(texts.filter((text) => !before.has(text) && !sealed.join().includes(text))).toEqual([])
  expect(await metadataInColumns()).not.toEqual([])

  const buyers: [Client, string][] = [
    [shop, buyer.id],
    [shop, formerBuyer],
    [wallet, ofWallet.id],
    [bnpl, ofBnpl.id],
    [secure, ofSecure.id],
  ]
  for (const [of, id] of buyers) expect((await of.post(`/buyers/${id}/erase`)).status).toBe(202)
  await railyard.erasing.runOnce()
  railyard.clock.advance(61_000)
  await railyard.erasing.runOnce()
  for (const [of, id] of buyers)
    expect((await of.get(`/buyers/${id}/erasure`)).body).toMatchObject({ status: 'succeeded', waiting: 0 })

  expect(await searchDatabase(railyard.world, texts)).toEqual([])
  expect(await metadataInColumns()).toEqual([])
  expect(await sealedRows()).toEqual({
    payment_methods: 0,
    gift_cards: 0,
    checkout_sessions: 0,
    security_codes: 0,
    held_instruments: 0,
    delegated_payments: 0,
    report_chunks: 0,
    network_tokens: 0,
  })
  const links = await railyard.world.db
    .selectFrom('payment_links')
    .selectAll()
    .$castTo<PaymentLinkRow>()
    .execute()
  expect(links.map((link) => openLink(railyard.world, link).connectionOptions)).toEqual([null, null])
})

/** What the metrics explorer has of the payments' metadata. */
async function metadataInColumns(): Promise<unknown[]> {
  const rows = await railyard.world.db.selectFrom('insight_hours').select('metadata').execute()
  return rows.flatMap(({ metadata }) => [...unpackCodes(metadata).values]).filter((value) => value !== null)
}

/** Rows with something sealed, which no search looks into. */
async function sealedRows(): Promise<Record<string, number>> {
  const { run } = railyard.world
  const count = async (table: string, where = 'true') =>
    (await run<{ rows: number }>(`select count(*) as rows from ${table} where ${where}`, []))[0]?.rows ?? -1
  return {
    payment_methods: await count('payment_methods'),
    gift_cards: await count('gift_cards'),
    checkout_sessions: await count('checkout_sessions'),
    security_codes: await count('security_codes'),
    held_instruments: await count('held_instruments'),
    delegated_payments: await count('delegated_payments', 'sealed is not null'),
    report_chunks: await count('report_chunks'),
    network_tokens: await count('network_tokens', 'sealed is not null'),
  }
}
