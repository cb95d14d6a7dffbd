import { expect, test } from 'vitest'
import { always, path, replayShops, routeTo, setLive } from '../../../test/support/domains/replay.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const { shopWithTwo } = replayShops(railyard)
const rulesPath = path.replace(/\/replay$/, '')

test('a payment without a rule shows who could take it, who was skipped, and the attempt', async () => {
  const { shop, first, second } = await shopWithTwo()
  const { id } = await shop.sold(10_00)
  const { status, body } = await shop.get(`/transactions/${id}/routing-decision`)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      named_payment_service: false,
      decisions: [],
      eligible: [
        { payment_service_id: first, payment_service_display_name: 'Mock card' },
        { payment_service_id: second },
      ],
      attempts: [{ payment_service_id: first, status: 'approved', rule_id: null }],
    },
  })
})

test('a payment shows the rule that decided, and the service that the rule had to skip', async () => {
  const { shop, first, second } = await shopWithTwo()
  expect(await shop.put(`/payment-services/${first}`, { active: false })).toMatchObject({ status: 200 })
  const rule = {
    ...routeTo(second),
    outcome: { attempts: [first, second].map((payment_service_id) => ({ payment_service_id })) },
  }
  await setLive(shop, [rule])
  const { id } = await shop.sold(10_00)
  const { body } = await shop.get(`/transactions/${id}/routing-decision`)
  const [decision] = body.decisions
  expect(decision).toMatchObject({
    action: 'route-transaction',
    rule_display_name: 'Route',
    rule_version: 1,
    steps: [{ payment_service_id: second, instrument: null }],
    skipped: [
      { payment_service_id: first, payment_service_display_name: 'Mock card', reason: 'is not active' },
    ],
  })
  expect(body.attempts).toMatchObject([{ payment_service_id: second, rule_id: decision.rule_id }])
})

test('the draft decides a past payment again, and says whether it would have gone elsewhere', async () => {
  const { shop, first, second } = await shopWithTwo()
  const { id } = await shop.sold(10_00)
  const draft = () => shop.get(`/transactions/${id}/routing-decision/draft`)
  expect(await draft()).toMatchObject({ status: 200, body: { left_out: null, items: [] } })
  expect(await shop.put(rulesPath, { items: [{ ...routeTo(second), condition: always }] })).toMatchObject({
    status: 200,
  })
  expect((await draft()).body.items).toMatchObject([
    {
      flow: 'card-transaction',
      version: 1,
      differs: true,
      before: {
        declined: null,
        steps: [{ payment_service_id: first }, { payment_service_id: second }],
        rules: [],
      },
      draft: {
        steps: [{ payment_service_id: second }],
        rules: [{ action: 'route-transaction', display_name: 'Route' }],
      },
    },
  ])
})

test('a payment whose request named the payment service is not decided again', async () => {
  const { shop, first } = await shopWithTwo()
  const { id } = await shop.sold(10_00, { payment_service_id: first })
  expect((await shop.get(`/transactions/${id}/routing-decision`)).body).toMatchObject({
    named_payment_service: true,
    eligible: null,
  })
  expect((await shop.get(`/transactions/${id}/routing-decision/draft`)).body).toMatchObject({
    left_out: 'named',
    items: [],
  })
})
