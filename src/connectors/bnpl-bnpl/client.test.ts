import { describe, expect, test } from 'vitest'
import { startBnplShop } from '../../../test/support/domains/bnpl.ts'
import { booksOf } from '../../../test/support/provider.ts'
import { readableRow } from '../../../test/support/unpacked.ts'

const { railyard, shop } = await startBnplShop()

const ordersFor = async (amount: number) =>
  (await booksOf(railyard)).operations.filter((operation) => operation.amount === amount)

test.each(['web', 'android', 'ios'])(
  'a %s page gets the data for the provider’s script, by GET and by POST',
  async (integration_client) => {
    const { status, body } = await shop.buy(120_00, { integration_client })
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { status: 'buyer_approval_pending', payment_method: { approval_url: null } },
    })
    const at = `/transactions/${body.id}/session?token=${body.session_token}`
    const [got, posted] = [await shop.get(at), await shop.post(at, { payload: null })]
    expect(got).toMatchObject({ status: 200 })
    expect(posted.body).toEqual(got.body)
    expect(got.body).toEqual({
      session_data: {
        client_token: expect.any(String),
        purchase_country: 'DE',
        purchase_currency: 'EUR',
        amount: 120_00,
      },
      default_completion_url: `${railyard.url}/transactions/${body.id}/complete/${shop.account}`,
      integration_client,
    })
  },
)

describe('completing a payment', () => {
  test('places the order that the buyer approved', async () => {
    const { id, token } = await shop.approvedInClient(45_01)
    expect((await shop.payment(id).read()).status).toBe('buyer_approval_pending')
    const { status, body } = await shop.complete(id, token)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { type: 'transaction', id, status: 'authorization_succeeded', authorized_amount: 45_01 },
    })
  })

  test('works with POST too, and no cache stores it', async () => {
    const { id, token } = await shop.approvedInClient(45_12)
    const at = `/transactions/${id}/complete?authorization_token=${token}`
    expect(await shop.post(at)).toMatchObject({
      status: 200,
      body: { id, status: 'authorization_succeeded', authorized_amount: 45_12 },
    })
    const again = await shop.get(at)
    expect(again).toMatchObject({ status: 200, body: { status: 'authorization_succeeded' } })
    expect(again.headers.get('cache-control')).toBe('no-store')
    expect(await ordersFor(45_12)).toHaveLength(1)
  })

  test('returns the declined transaction, not an error', async () => {
    const buyer = {
      billing_details: {
        first_name: 'Eva',
        last_name: 'Muster',
        email_address: 'customer+de+denied@example.com',
      },
    }
    const { id, token } = await shop.approvedInClient(45_02, { buyer })
    const { status, body } = await shop.complete(id, token)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id, status: 'authorization_failed', error_code: 'issuer_decline' },
    })
    expect(body.raw_response_code).toBe('REJECTED')
  })

  test('a hundred times concurrently places one order', async () => {
    const { id, token } = await shop.approvedInClient(45_03)
    const answers = await Promise.all(Array.from({ length: 100 }, () => shop.complete(id, token)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status}`))).toEqual(
      new Set(['200 authorization_succeeded']),
    )
    expect(await ordersFor(45_03)).toHaveLength(1)
  })

  test('a second time returns the same and places no order', async () => {
    const { id, token } = await shop.approvedInClient(45_04)
    const first = await shop.complete(id, token)
    expect((await shop.complete(id, token)).body).toEqual(first.body)
    expect(await ordersFor(45_04)).toHaveLength(1)
  })

  test('before the buyer has approved is refused, and works afterwards', async () => {
    const { body } = await shop.buy(45_05, { integration_client: 'web' })
    expect(await shop.complete(body.id, 'any')).toMatchObject({ status: 425 })
    const session = await shop.get(`/transactions/${body.id}/session?token=${body.session_token}`)
    const at = `sessions/${session.body.session_data.client_token}/authorize`
    expect((await shop.script(at, { approved: false })).body).toEqual({ approved: false })
    expect(await shop.complete(body.id, 'any')).toMatchObject({ status: 425 })
    const { body: approval } = await shop.script(at, { approved: true })
    expect(await shop.complete(body.id, String(approval['authorization_token']))).toMatchObject({
      status: 200,
    })
  })

  test('with another buyer’s token, or none, is refused and places no order', async () => {
    const [own, other] = [await shop.approvedInClient(45_06), await shop.approvedInClient(45_06)]
    for (const token of [other.token, 'forged', undefined])
      expect(await shop.complete(own.id, token)).toMatchObject({ status: 400 })
    expect(await ordersFor(45_06)).toEqual([])
    expect(await shop.complete(own.id, own.token)).toMatchObject({
      status: 200,
      body: { status: 'authorization_succeeded' },
    })
  })

  test('is up to the merchant: the provider’s callback alone places no order', async () => {
    const { id } = await shop.approvedInClient(45_07)
    railyard.clock.advance(11 * 60_000)
    await railyard.recovery.runOnce()
    expect((await shop.payment(id).read()).status).toBe('buyer_approval_pending')
    expect(await ordersFor(45_07)).toEqual([])
  })
})

test('a payment fails if the buyer approved another amount', async () => {
  const { body } = await shop.buy(45_08, { integration_client: 'web' })
  const session = await shop.get(`/transactions/${body.id}/session?token=${body.session_token}`)
  const { payment_service_transaction_id: id } = await shop.payment(body.id).read()
  const line = { name: 'Order', quantity: 1, unit_price: 1, total_amount: 1 }
  const changed = await fetch(`${railyard.simulatorUrl}/bnpl/${shop.serviceId}/payments/v1/sessions/${id}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from('K123_test:sharedSecret').toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ order_amount: 1, order_lines: [line] }),
  })
  expect(changed.status).toBe(204)
  const approval = await shop.script(`sessions/${session.body.session_data.client_token}/authorize`, {
    approved: true,
  })
  expect(await shop.complete(body.id, String(approval.body['authorization_token']))).toMatchObject({
    status: 200,
    body: { status: 'authorization_failed', error_code: 'failed_buyer_approval' },
  })
  expect(await ordersFor(1)).toEqual([])
})

test('a cancelled payment of a client integration cannot be completed', async () => {
  const { id, token } = await shop.approvedInClient(45_09)
  expect(await shop.payment(id).cancel()).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  expect(await shop.complete(id, token)).toMatchObject({
    status: 200,
    body: { status: 'authorization_failed', error_code: 'canceled' },
  })
  expect(await ordersFor(45_09)).toEqual([])
})

test('no buyer’s token is in the journal, the timeline or the log', async () => {
  const { id, token } = await shop.approvedInClient(45_10)
  await shop.complete(id, token)
  const operations = await railyard.world.run<{ row: unknown }>(
    'select row_to_json(o) as row from operations o where transaction_id = $1',
    [id],
  )
  const journal = readableRow(JSON.stringify(operations))
  const timeline = JSON.stringify((await shop.get(`/transactions/${id}/events`)).body)
  for (const text of [journal, timeline, ...railyard.logged]) {
    expect(text).not.toContain(token)
    expect(text).not.toContain('sharedSecret')
  }
})
