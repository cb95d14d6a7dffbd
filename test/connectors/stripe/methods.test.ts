import { describe, expect, test } from 'vitest'
import type { Call, OrderForCall } from '../../../src/connectors/contract/call.ts'
import { methodDefinition, methods } from '../../../src/connectors/stripe/methods.ts'
import { purchase } from '../../support/domains/connector-call.ts'
import { bench } from './support.ts'

const order: OrderForCall = { ...purchase({ statementDescriptor: 'Shop *1' }), integrationClient: 'redirect' }
const terms = methods.map((method) => ({ ...method, id: methodDefinition(method).id }))
const committedOn = (call: Call, committed: readonly string[]): Call => ({
  ...call,
  operation: { ...call.operation, committedReference: committed.at(-1) ?? null },
})

test('the methods are definitions of their own', () => {
  expect(terms.map(({ id }) => id)).toEqual([
    'stripe-ideal',
    'stripe-bancontact',
    'stripe-eps',
    'stripe-p24',
    'stripe-alipay',
    'stripe-klarna',
    'stripe-sepa',
    'stripe-blik',
  ])
})

describe.each(terms.filter(({ page }) => page === 'redirect'))('$displayName', ({ id, currencies }) => {
  const currency = currencies[0] ?? ''
  const sale = () => {
    const opened = bench()
    const asked = opened.call({ kind: 'sale', currency }, { order })
    return { ...opened, asked, connector: opened.method(id) }
  }

  test('sends the buyer to a page, and the money moves when they approve', async () => {
    const { stripe, connector, asked, committed } = sale()
    const outcome = await connector.operations.sale?.(asked)
    if (outcome?.status !== 'pending') throw new Error('not pending')
    expect(outcome.approval?.url).toMatch(/^https:\/\/hooks\.stripe\.test\//)
    expect(stripe.effects()).toEqual([])
    stripe.visit(outcome.approval?.url ?? '', 'approve')
    expect(await connector.find(committedOn(asked, committed))).toMatchObject({
      outcome: { status: 'approved', amount: 10_00 },
    })
    expect(stripe.violations).toEqual([])
  })

  test('fails when the buyer declines, and nothing can be paid afterwards', async () => {
    const { stripe, connector, asked, committed } = sale()
    const outcome = await connector.operations.sale?.(asked)
    if (outcome?.status !== 'pending') throw new Error('not pending')
    stripe.visit(outcome.approval?.url ?? '', 'decline')
    expect(await connector.find(committedOn(asked, committed))).toMatchObject({
      outcome: { status: 'failed', code: 'failed_buyer_approval' },
    })
    expect(stripe.intent(committed[0] ?? '').status).toBe('canceled')
  })

  test('sent again after a lost answer opens one intent, and its page', async () => {
    const { stripe, connector, asked, committed, lose } = sale()
    lose(({ url }) => url.endsWith('/confirm'))
    expect(await connector.operations.sale?.(asked)).toMatchObject({ status: 'unknown' })
    expect(await connector.operations.sale?.(committedOn(asked, committed))).toMatchObject({
      status: 'pending',
      approval: { url: expect.any(String) },
    })
    expect(stripe.intents.size).toBe(1)
  })
})

describe.each(terms.filter(({ page }) => page === 'script'))('$displayName', ({ id, currencies }) => {
  test('runs Stripe’s script in the page, waits for the buyer, and can be canceled', async () => {
    const { stripe, call, committed, method } = bench()
    const connector = method(id)
    const asked = call({ kind: 'sale', currency: currencies[0] ?? '' }, { order })
    expect(await connector.operations.sale?.(asked)).toMatchObject({
      status: 'pending',
      approval: {
        url: null,
        sessionData: { clientSecret: expect.any(String), publishableKey: 'pk_test_fake' },
      },
    })
    expect(await connector.find(committedOn(asked, committed))).toMatchObject({
      outcome: { status: 'pending' },
    })
    expect(
      await connector.operations.cancel?.(
        call({ kind: 'cancel', paymentReference: committed[0] ?? null, currency: currencies[0] ?? '' }),
      ),
    ).toMatchObject({ status: 'approved' })
    expect(stripe.effects()).toEqual([])
    expect(stripe.violations).toEqual([])
  })
})

test('Klarna is authorized first, then captured and refunded', async () => {
  const { stripe, call, committed, method } = bench()
  const connector = method('stripe-klarna')
  const asked = call({ kind: 'authorize' }, { order })
  const outcome = await connector.operations.authorize?.(asked)
  stripe.visit(outcome?.status === 'pending' ? (outcome.approval?.url ?? '') : '', 'approve')
  expect(await connector.find(committedOn(asked, committed))).toMatchObject({
    outcome: { status: 'approved', amount: 10_00 },
  })
  const paymentReference = committed[0] ?? null
  for (const kind of ['capture', 'refund'] as const)
    expect(await connector.operations[kind]?.(call({ kind, paymentReference }))).toMatchObject({
      status: 'approved',
      amount: 10_00,
    })
  expect(stripe.violations).toEqual([])
})
