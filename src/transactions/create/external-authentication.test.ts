import { expect, test } from 'vitest'
import { booksOf } from '../../../test/support/provider.ts'
import { addService } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({ comparesBooks: false })

const CAVV = 'AJkBBkhgQQAAAE4gSEJydQAAAAA='
const version2 = {
  cavv: CAVV,
  eci: '05',
  version: '2.2.0',
  directory_response: 'C',
  authentication_response: 'Y',
  directory_transaction_id: 'd-1',
}
const version1 = {
  ...version2,
  version: '1.0.2',
  cavv_algorithm: '2',
  xid: 'x-1',
  directory_transaction_id: undefined,
}

/** The authentication data that payment services got for a payment, in the order of trying. */
async function proofsOf(transaction: string) {
  const rows = await railyard.world.db
    .selectFrom('operations')
    .select('id')
    .where('merchant_account_id', '=', shop.account)
    .where('transaction_id', '=', transaction)
    .orderBy('id')
    .execute()
  const { payments } = await booksOf(railyard)
  return rows.map(({ id }) => payments.find(({ opened_by }) => opened_by === id)?.three_d_secure ?? null)
}

test('the merchant’s own 3-D Secure data reach the payment service and are answered', async () => {
  const { body } = await shop.pay(10_00, { three_d_secure_data: version2 })
  expect(body).toMatchObject({
    status: 'authorization_succeeded',
    three_d_secure: { status: 'complete', response_data: version2 },
  })
  const { directory_transaction_id, ...rest } = version2
  expect(await proofsOf(body.id)).toEqual([{ ...rest, directory_transaction_id }])
})

test('with 3-D Secure version 1 the XID is the directory transaction id', async () => {
  const { body } = await shop.pay(10_00, { three_d_secure_data: version1 })
  expect(body).toMatchObject({
    status: 'authorization_succeeded',
    three_d_secure: { version: '1.0.2', response_data: { xid: 'x-1' } },
  })
  expect(await proofsOf(body.id)).toMatchObject([
    { version: '1.0.2', directory_transaction_id: 'x-1', cavv: CAVV, eci: '05' },
  ])
})

test('an absent member of the 3-D Secure data stays null, and a payment without them has none', async () => {
  const { authentication_response: _, ...frictionless } = version2
  const { body } = await shop.pay(10_00, { three_d_secure_data: frictionless })
  expect(await proofsOf(body.id)).toMatchObject([{ authentication_response: null, directory_response: 'C' }])
  expect(await proofsOf((await shop.pay(10_00)).body.id)).toEqual([null])
})

test('another payment service that is tried after a refusal gets the same 3-D Secure data', async () => {
  const other = await addService(railyard, shop)
  const { body } = await shop.pay(300_013, { three_d_secure_data: version2 })
  expect(body).toMatchObject({ status: 'authorization_failed', payment_service: { id: other } })
  const proofs = await proofsOf(body.id)
  expect(proofs).toHaveLength(2)
  expect(proofs).toEqual([proofs[0], proofs[0]])
  expect(proofs[0]).toMatchObject({ cavv: CAVV })
})

test('no exchange, event, log or error has a CAVV', async () => {
  const { body } = await shop.pay(10_00, { three_d_secure_data: version2 })
  const events = await shop.get(`/transactions/${body.id}/events?limit=100`)
  const sent = events.body.items.filter(
    ({ name }: { name: string }) => name === 'payment-connector-external-transaction-request',
  )
  expect(JSON.stringify(sent)).toContain('"directory_transaction_id":"d-1"')
  expect(JSON.stringify(events.body)).not.toContain(CAVV)
  const rows = await railyard.world.run(
    'select row_to_json(o) as row from operations o where merchant_account_id = $1',
    [shop.account],
  )
  expect(JSON.stringify(rows)).not.toContain(CAVV)
  const refused = await shop.pay(10_00, { three_d_secure_data: { ...version2, cavv: [CAVV] } })
  expect(refused.status).toBe(422)
  expect(JSON.stringify([refused.body, railyard.logged])).not.toContain(CAVV)
})
