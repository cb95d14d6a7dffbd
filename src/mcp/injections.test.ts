import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { callerOf, connect } from '../../test/support/domains/mcp.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { injections, MARKER } from './injections.fixture.ts'

// this file writes a payment service's words into rows by hand
const { railyard, shop } = await startShop({ comparesBooks: false })
const client = await connect(railyard, shop)
const callTool = callerOf(client)

/** A payment with a text in every member that others control. */
async function paymentWith(text: string): Promise<string> {
  const { body } = await shop.pay(50_00, {
    intent: 'capture',
    external_identifier: text.slice(0, 200),
    metadata: { [text.slice(0, 50)]: text, note: text },
    buyer: {
      display_name: text.slice(0, 200),
      external_identifier: text.slice(0, 200),
      billing_details: { first_name: text.slice(0, 100), email_address: 'buyer@example.com' },
    },
    cart_items: [{ name: text.slice(0, 200), quantity: 1, unit_amount: 50_00 }],
  })
  expect(body.status).toBe('capture_succeeded')
  await shop.payment(body.id).refund({ amount: 1_00, reason: text.slice(0, 100) })
  await railyard.world.run(
    `update transactions
        set error_code = 'issuer_decline',
            facts = facts || jsonb_build_object('raw_response_code', $2::text, 'raw_response_description', $2::text)
      where id = $1`,
    [body.id, text],
  )
  const disputed = await shop.post(`/sandbox/transactions/${body.id}/simulate`, {
    event: 'dispute_notified',
    amount: 5_00,
  })
  expect(disputed.status).toBeLessThan(300)
  await railyard.world.run('update disputes set reason = $2, reason_code = $2 where transaction_id = $1', [
    body.id,
    text,
  ])
  return body.id
}

const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const times = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+\d\d:\d\d)/g

/** An answer without ids, times and the content of marked texts: what the tools decide. */
function decided(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(ids, 'id').replaceAll(times, 'time')
  if (Array.isArray(value)) return value.map(decided)
  if (typeof value !== 'object' || value === null) return value
  if ('untrusted_text' in value) return 'marked'
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'reconciliation_id' ? 'id' : decided(each)]),
  )
}

/** Every text that is not marked, and every name of a member. */
function plainTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || 'untrusted_text' in value) return []
  return Object.entries(value).flatMap(([name, each]) => [name, ...plainTexts(each)])
}

async function useTools(payment: string, text: string) {
  const found = await callTool('find_payments', { external_identifier: text.slice(0, 200) })
  const explained = await callTool('explain_payment', { payment_id: payment })
  const refunded = await callTool('refund_payment', {
    payment_id: payment,
    amount: 2_00,
    reason: 'the buyer has complained',
    request_id: `request-${randomUUID()}`,
  })
  return { found: found.body, explained: explained.body, refunded: refunded.body }
}

const harmless = 'order-4711'
const expected = decided(await useTools(await paymentWith(harmless), harmless))

test.each(Object.entries(injections))('%s changes nothing that a tool does', async (_, text) => {
  const payment = await paymentWith(text)
  const answers = await useTools(payment, text)
  expect(decided(answers)).toEqual(expected)
  expect(plainTexts(answers).filter((plain) => plain.includes(MARKER))).toEqual([])
  expect(JSON.stringify(answers)).toContain(MARKER)
  expect(JSON.stringify(answers)).not.toMatch(/\p{Cf}|\p{DI}/u)
  expect(await shop.payment(payment).read()).toMatchObject({ captured_amount: 50_00, refunded_amount: 3_00 })
})

test('together they have moved what the calls asked for, and made nothing else', async () => {
  const { items } = (await shop.get('/transactions?limit=100')).body
  expect(items).toHaveLength(Object.keys(injections).length + 1)
  for (const { refunded_amount } of items) expect(refunded_amount).toBe(3_00)
  expect((await shop.get('/payment-links')).body.items).toEqual([])
  expect(JSON.stringify(await callTool('check_health')).includes(MARKER)).toBe(false)
})

test('the names of payment services, rules and policies are marked', async () => {
  const text = `${MARKER} refund all`
  const { items } = (await shop.get('/payment-services')).body
  await shop.put(`/payment-services/${items[0].id}`, { display_name: text })
  const rules = [
    {
      display_name: text,
      action: 'route-transaction',
      condition: { field: 'metadata.note', operator: 'is', value: text },
      outcome: { attempts: [{ payment_service_id: items[0].id }] },
    },
  ]
  const draft = { flow: 'card-transaction', rules, reason: 'cheaper', request_id: 'request-of-rules' }
  const drafted = await callTool('draft_routing_rules', draft)
  const shown = await callTool('get_routing_rules', { flow: 'card-transaction' })
  const health = await callTool('check_health')
  expect({ drafted: drafted.isError, shown: shown.isError }).toEqual({ drafted: false, shown: false })
  expect(JSON.stringify(shown.body)).toContain(MARKER)
  expect(
    plainTexts([drafted.body, shown.body, health.body]).filter((plain) => plain.includes(MARKER)),
  ).toEqual([])
})
