import { expect, test } from 'vitest'
import { storeCard, withNetworkTokens } from '../../test/support/domains/network-tokens.ts'
import { payoutOf } from '../../test/support/domains/payouts.ts'
import { booksOf, recoverFully } from '../../test/support/provider.ts'
import { card } from '../../test/support/railyard.ts'
import { recordedRequests } from '../../test/support/recorded-requests.ts'
import { addService } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ merchant: { settings: withNetworkTokens() } })

const payOut = (more: Record<string, unknown> = {}) =>
  shop.post('/payouts', payoutOf(shop.paymentServiceId, more))
const eventsOf = (id: string) =>
  railyard.world.run<{ name: string; sequence: number; target: object }>(
    'select name, sequence, target from events where target_id = $1 order by sequence',
    [id],
  )
/** The request to the payment service, as the operation stores it. */
const sentFor = async (id: string) => (await recordedRequests(railyard.world, id))[0]

const merchant = {
  name: 'Lucky Ltd',
  identification_number: '12-34',
  phone_number: '+442071838750',
  url: 'https://lucky.example',
  statement_descriptor: 'LUCKY WINS',
  merchant_category_code: '7995',
  address: { city: 'London', country: 'GB' },
}

test('a payout sends money to a card with its full number; the answer shows the request’s data without that number', async () => {
  const billing_details = { first_name: 'Ada', address: { country: 'GB' } }
  const answer = await payOut({
    category: 'online_gambling',
    external_identifier: 'win-1',
    merchant,
    buyer: { display_name: 'Ada', external_identifier: 'ada', billing_details, account_number: '7' },
    connection_options: { 'checkout-card': { processing_channel_id: 'pc', source_id: 'src' } },
    payment_method: { number: card.number, expiration_date: '12/35', external_identifier: 'card-1' },
  })
  expect(answer).toMatchObject({
    status: 201,
    body: {
      type: 'payout',
      status: 'succeeded',
      amount: 30_00,
      currency: 'EUR',
      merchant_account_id: shop.account,
      category: 'online_gambling',
      external_identifier: 'win-1',
      merchant: { type: 'merchant', ...merchant },
      buyer: {
        type: 'buyer',
        id: null,
        display_name: 'Ada',
        external_identifier: 'ada',
        billing_details,
        account_number: '7',
      },
      payment_method: {
        type: 'payment-method',
        id: null,
        method: 'card',
        mode: 'card',
        label: '1111',
        scheme: 'visa',
        external_identifier: 'card-1',
      },
      payment_service: {
        type: 'payment-service',
        id: shop.paymentServiceId,
        method: 'card',
        payment_service_definition_id: 'mock-card',
      },
    },
  })
  expect(JSON.stringify(answer.body)).not.toContain(card.number)
  expect((await shop.get(`/payouts/${answer.body.id}`)).body).toEqual(answer.body)
  const [booked] = (await booksOf(railyard)).payments.filter(
    ({ payment_id }) => payment_id === answer.body.payment_service_payout_id,
  )
  expect(booked).toMatchObject({
    paid_out: 30_00,
    currency: 'EUR',
    payment_service_id: shop.paymentServiceId,
  })
  expect(await sentFor(answer.body.id)).toMatchObject({
    amount: 30_00,
    category: 'online_gambling',
    merchant: { name: 'Lucky Ltd' },
  })
})

test('the request may name the card’s scheme', async () => {
  expect(
    (await payOut({ payment_method: { ...payoutOf('').payment_method, card_scheme: 'carte-bancaire' } })).body
      .payment_method.scheme,
  ).toBe('carte-bancaire')
})

test.each([
  [530001, 'declined'],
  [530002, 'failed'],
])('a payout of %i is %s: a 201 with that status, and one event', async (amount, status) => {
  const { status: http, body } = await payOut({ amount })
  expect({ http, status: body.status }).toEqual({ http: 201, status })
  expect(await eventsOf(body.id)).toMatchObject([
    { name: `payout.${status}`, sequence: 1, target: { id: body.id, type: 'payout', status } },
  ])
})

test('the event of a payout shows it as the API does', async () => {
  const { body } = await payOut()
  const [event, ...more] = await eventsOf(body.id)
  expect(event).toMatchObject({ name: 'payout.succeeded', sequence: 1 })
  expect(event?.target).toEqual(body)
  expect(more).toEqual([])
})

test('a notification makes Railyard look up a pending payout, whatever the notification says', async () => {
  const { body } = await payOut({ amount: 530003 })
  expect(body.status).toBe('pending')
  const [booked] = (await booksOf(railyard)).payments.filter(
    ({ payment_id }) => payment_id === body.payment_service_payout_id,
  )
  expect(booked).toMatchObject({ paid_out: 0, pending: { payout: 530003 } })
  const notify = () =>
    fetch(booked?.notification_url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: booked?.opened_by, status: 'declined' }),
    })
  for (let times = 0; times < 3; times++) expect(await (await notify()).json()).toEqual({ received: true })
  expect((await shop.get(`/payouts/${body.id}`)).body).toMatchObject({ status: 'succeeded', id: body.id })
  expect((await eventsOf(body.id)).map(({ name, sequence }) => [sequence, name])).toEqual([
    [1, 'payout.pending'],
    [2, 'payout.succeeded'],
  ])
})

test('recovery looks up a pending payout whose notification was lost', async () => {
  const { body } = await payOut({ amount: 530003 })
  railyard.clock.advance(700_000)
  await railyard.recovery.runOnce()
  expect((await shop.get(`/payouts/${body.id}`)).body.status).toBe('succeeded')
  await recoverFully(railyard)
})

test('a payout to a stored card names its id and its buyer', async () => {
  const buyer = (await shop.post('/buyers', { display_name: 'Ada', external_identifier: 'ada-stored' })).body
  const id = await storeCard(shop, { buyer_id: buyer.id })
  const { body } = await payOut({
    payment_method: { method: 'id', id },
    buyer: null,
    buyer_external_identifier: 'ada-stored',
  })
  expect(body).toMatchObject({
    status: 'succeeded',
    payment_method: { id, label: '1111' },
    buyer: { id: buyer.id, display_name: 'Ada' },
  })
  const stranger = (await shop.post('/buyers', {})).body
  const refused = await payOut({ payment_method: { id }, buyer: null, buyer_id: stranger.id })
  expect(refused).toMatchObject({ status: 400, body: { details: [{ pointer: '/payment_method/id' }] } })
})

test('a payout to a stored card uses its network token without a cryptogram, or the payment service’s own token', async () => {
  const openLoopService = await addService(railyard, shop, { open_loop: true, network_tokens_enabled: true })
  const tokenizingService = await addService(railyard, shop, {
    open_loop: false,
    payment_method_tokenization_enabled: true,
  })
  const id = await storeCard(shop)
  await shop.post(`/payment-methods/${id}/network-tokens`, {
    merchant_initiated: false,
    is_subsequent_payment: false,
  })
  const redirect_url = 'https://shop.example'
  expect(
    (
      await shop.post(`/payment-methods/${id}/payment-service-tokens`, {
        payment_service_id: tokenizingService,
        redirect_url,
      })
    ).status,
  ).toBe(201)
  const byScheme = await shop.post('/payouts', payoutOf(openLoopService, { payment_method: { id } }))
  const byService = await shop.post('/payouts', payoutOf(tokenizingService, { payment_method: { id } }))
  expect([byScheme.body.status, byService.body.status]).toEqual(['succeeded', 'succeeded'])
  expect(await sentFor(byScheme.body.id)).toMatchObject({
    network_token: { number: expect.stringMatching(/^489537\*{6}/) },
  })
  expect(await sentFor(byService.body.id)).toMatchObject({ token: '***' })
})

test('renaming and deleting the payment service does not change a payout', async () => {
  const service = await addService(railyard, shop)
  const { body } = await shop.post('/payouts', payoutOf(service))
  await shop.put(`/payment-services/${service}`, { display_name: 'Renamed' })
  await shop.delete(`/payment-services/${service}`)
  expect((await shop.get(`/payouts/${body.id}`)).body).toEqual(body)
})

test('a browser’s token and a key for processing cannot make payouts', async () => {
  const embedded = await railyard.client({
    account: shop.account,
    scopes: ['embed'],
    embed: { amount: 30_00, currency: 'EUR' },
  })
  const processing = await railyard.client({ account: shop.account, roleIds: ['processing'] })
  for (const client of [embedded, processing]) {
    expect((await client.post('/payouts', payoutOf(shop.paymentServiceId))).status).toBe(403)
    expect((await client.get('/payouts')).status).toBe(403)
  }
  const narrow = await railyard.client({ account: shop.account, scopes: ['payouts.write'] })
  expect((await narrow.post('/payouts', payoutOf(shop.paymentServiceId))).status).toBe(201)
  expect((await narrow.get('/payouts')).status).toBe(403)
})
