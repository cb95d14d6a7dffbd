import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { callerOf, connect } from '../../test/support/domains/mcp.ts'
import { addService } from '../../test/support/shop.ts'
import { startShop } from '../../test/support/start-shop.ts'
import { toolScopes, tools } from './tools/tools.ts'

const { railyard, shop } = await startShop()
const client = await connect(railyard, shop)
const callTool = callerOf(client)

const request = () => ({ reason: 'the buyer has complained', request_id: `request-${randomUUID()}` })

describe.each(['legacy', 'auto'] as const)('a client that negotiates %s', (era) => {
  test('lists the tools with their schemas, annotations and the instructions', async () => {
    const own = await connect(railyard, shop, era)
    const listed = await own.listTools()
    expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    for (const { inputSchema, outputSchema, annotations, description } of listed.tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema).toMatchObject({ type: 'object' })
      expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean) })
      expect(description).not.toBe('')
    }
    expect(own.getInstructions()).toContain('untrusted_text')
    await own.close()
  })

  test('reads the documentation as resources', async () => {
    const own = await connect(railyard, shop, era)
    const { resources } = await own.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('railyard://docs/guides/routing.md')
    const { contents } = await own.readResource({ uri: 'railyard://docs/guides/routing.md' })
    expect(contents[0]).toMatchObject({ mimeType: 'text/markdown', text: expect.stringContaining('# Route') })
    await expect(own.readResource({ uri: 'railyard://docs/../package.json' })).rejects.toThrow()
    await own.close()
  })
})

describe('a payment', () => {
  test('is found by what the buyer knows of it', async () => {
    const reference = `order-${randomUUID()}`
    const { body: payment } = await shop.pay(12_99, {
      external_identifier: reference,
      buyer: { display_name: 'Ann', billing_details: { email_address: 'ann@example.com' } },
    })
    for (const filters of [
      { external_identifier: reference },
      { search: reference },
      { buyer_email_address: 'ann@example.com', amount_gte: 12_99, amount_lte: 12_99, currency: 'EUR' },
      { card_last4: '1111', status: ['authorization_succeeded'], limit: 25 },
    ]) {
      const { body } = await callTool('find_payments', filters)
      expect(body.payments.map(({ id }: { id: string }) => id)).toContain(payment.id)
    }
    expect((await callTool('find_payments', { external_identifier: 'nobody has it' })).body).toEqual({
      payments: [],
      next_cursor: null,
    })
  })

  test('that was declined is explained with the reason, what to tell the buyer and what can be done', async () => {
    const { body: payment } = await shop.pay(2000_11, { intent: 'capture' })
    const { body } = await callTool('explain_payment', { payment_id: payment.id })
    expect(body.summary).toEqual(
      expect.arrayContaining([
        `The payment ${payment.id} of 2000.11 EUR was made at ${payment.created_at}.`,
        'It was declined (insufficient_funds): the account has too little money or credit.',
        expect.stringMatching(/^Attempt 1 at .*: declined \(insufficient_funds\)\.$/),
      ]),
    )
    expect(body.decline).toMatchObject({
      code: 'insufficient_funds',
      group: 'decline',
      tell_the_buyer: 'Your bank has declined the payment. Try another card, or contact your bank.',
      payment_service_code: { untrusted_text: 'insufficient_funds' },
    })
    expect(body.can_be_done_now).toEqual([expect.objectContaining({ with: 'create_payment_link' })])
    expect(body.left_out).toEqual([])
  })

  test('that a rule has routed is explained by the rule and its conditions', async () => {
    const second = await addService(railyard, shop, { display_name: 'Second' })
    const rules = [
      {
        display_name: 'Large payments',
        action: 'route-transaction',
        condition: { field: 'amount', operator: 'gte', value: 90_000, currency: 'EUR' },
        outcome: { attempts: [{ payment_service_id: second }] },
      },
    ]
    await shop.put('/flows/card-transaction/rules', { items: rules })
    await shop.post('/flows/card-transaction/rules/publish', {})
    const { body: payment } = await shop.pay(900_01)
    const { body } = await callTool('explain_payment', { payment_id: payment.id })
    const [decision] = body.routing.decisions
    expect(decision).toMatchObject({
      rule_display_name: { untrusted_text: 'Large payments' },
      because: [{ operator: 'gte', value: 90_000, actual: 900_01 }],
    })
    expect(body.summary).toContain(
      `The rule ${decision.rule_id} of card-transaction (version ${decision.rule_version}) chose the payment services; \`routing.decisions\` has the conditions that matched.`,
    )
  })

  test('with captures and refunds is explained with what is left to refund', async () => {
    const payment = await shop.sold(50_00)
    await payment.refund({ amount: 20_00 })
    const { body } = await callTool('explain_payment', { payment_id: payment.id })
    expect(body.can_be_done_now).toEqual([
      { with: 'refund_payment', what: expect.any(String), at_most: 30_00 },
    ])
    expect(body.refunds).toHaveLength(1)
    expect(body.operations).toMatchObject({ consistent: true, differences: 0 })
    expect(body.timeline.length).toBeGreaterThan(3)
  })

  test('of another merchant account is not found', async () => {
    const stranger = callerOf(await connect(railyard, await railyard.merchant()))
    const payment = await shop.sold(10_00)
    for (const name of ['explain_payment', 'refund_payment'])
      expect(
        await stranger(name, { payment_id: payment.id, ...(name === 'refund_payment' && request()) }),
      ).toMatchObject({ isError: true, body: { error: { status: 404, code: 'not_found' }, done: 'nothing' } })
  })
})

describe('money', () => {
  test('that is refunded under one request_id many times at once is refunded once', async () => {
    const payment = await shop.sold(50_00)
    const values = { payment_id: payment.id, amount: 10_00, ...request() }
    const answers = await Promise.all([1, 2, 3, 4].map(() => callTool('refund_payment', values)))
    expect(answers.map(({ body }) => body.state)).toEqual(['done', 'done', 'done', 'done'])
    expect(new Set(answers.map(({ body }) => body.result.id)).size).toBe(1)
    expect((await payment.read()).refunded_amount).toBe(10_00)
    expect((await payment.refunds())[0]).toMatchObject({ amount: 10_00, reason: values.reason })
  })

  test('beyond what is left is refused with the member and the reason', async () => {
    const payment = await shop.sold(50_00)
    expect(
      await callTool('refund_payment', { payment_id: payment.id, amount: 50_01, ...request() }),
    ).toMatchObject({
      isError: true,
      body: {
        error: { code: 'bad_request', problems: [{ member: '/amount' }] },
        done: 'nothing',
      },
    })
    expect((await payment.read()).refunded_amount).toBe(0)
  })

  test('is captured and released', async () => {
    const captured = await shop.authorized(30_00)
    const partly = { payment_id: captured.id, amount: 10_00, final: false, ...request() }
    expect((await callTool('capture_payment', partly)).body).toMatchObject({
      state: 'done',
      result: { status: 'succeeded', error_code: null },
      payment: { captured_amount: 10_00 },
    })
    const released = await shop.authorized(30_00)
    expect((await callTool('void_payment', { payment_id: released.id, ...request() })).body).toMatchObject({
      state: 'done',
      payment: { status: 'authorization_voided' },
    })
  })

  test('that the payment service refuses to give back is told as not done, and a pending one as pending', async () => {
    const payment = await shop.sold(9000_00)
    const refund = async (amount: number) =>
      (await callTool('refund_payment', { payment_id: payment.id, amount, ...request() })).body
    expect(await refund(5200_02)).toMatchObject({
      state: 'not_done',
      result: { status: 'declined', error_code: 'issuer_decline' },
    })
    const other = await shop.sold(9000_00)
    const pending = await callTool('refund_payment', { payment_id: other.id, amount: 5200_05, ...request() })
    expect(pending.body).toMatchObject({ state: 'pending', result: { status: 'processing' } })
  })

  test('is asked for by a link that is made once', async () => {
    const values = { amount: 12_99, currency: 'EUR', country: 'DE', intent: 'capture', ...request() }
    const [first, second] = [
      await callTool('create_payment_link', values),
      await callTool('create_payment_link', values),
    ]
    expect(first?.body).toMatchObject({ state: 'done', result: { url: expect.stringContaining('/pay/') } })
    expect(second?.body.result.id).toBe(first?.body.result.id)
  })

  test.each([
    ['without a request_id', { reason: 'because' }],
    ['without a reason', { request_id: 'request-1234' }],
    ['with a member that the tool does not know', { ...request(), target_id: 'x' }],
    ['with an amount in words', { ...request(), amount: 'all' }],
  ])('is not moved by a call %s', async (_, values) => {
    const payment = await shop.sold(10_00)
    expect(await callTool('refund_payment', { payment_id: payment.id, ...values })).toMatchObject({
      isError: true,
    })
    expect((await payment.read()).refunded_amount).toBe(0)
  })
})

describe('rules', () => {
  test('are drafted with their replay, and a draft with other rules stays', async () => {
    const merchant = await railyard.merchant()
    const own = callerOf(await connect(railyard, merchant))
    const rule = (display_name: string) => ({
      display_name,
      action: 'route-transaction',
      condition: { all: [] },
      outcome: { attempts: [{ payment_service_id: merchant.paymentServiceId }] },
    })
    const values = { flow: 'card-transaction', rules: [rule('A')], ...request() }
    expect((await own('draft_routing_rules', { ...values, dry_run: true })).body).toMatchObject({
      state: 'dry_run',
      draft: null,
      replay: { rules: { state: 'inline' } },
    })
    expect((await own('get_routing_rules', { flow: 'card-transaction' })).body).toMatchObject({ draft: null })
    for (const _ of [1, 2])
      expect((await own('draft_routing_rules', values)).body).toMatchObject({
        state: 'drafted',
        draft: { flow: 'card-transaction', version: 1 },
        replay: { decisions: { total: 0 } },
      })
    const other = { ...values, rules: [rule('B')] }
    expect(await own('draft_routing_rules', other)).toMatchObject({ isError: true })
    expect((await own('draft_routing_rules', { ...other, replace_draft: true })).body.state).toBe('drafted')
    expect((await own('get_routing_rules', { flow: 'card-transaction' })).body).toMatchObject({
      live: null,
      draft: { items: [{ display_name: { untrusted_text: 'B' } }] },
      payment_services: [{ id: merchant.paymentServiceId }],
    })
  })
})

describe('the account', () => {
  test('shows insights, health and reconciliation', async () => {
    const range = 'P1D/now'
    expect((await callTool('get_insights', { metric: 'transactions', range })).body).toMatchObject({
      total: { summary: { current: { value: expect.any(Number) } } },
    })
    const { body } = await callTool('get_insights', { metric: 'transactions', range, by: 'error_code' })
    expect(body.rows[0]).toMatchObject({ value: expect.any(Number), display_name: expect.anything() })
    expect((await callTool('check_health')).body).toMatchObject({
      summary: expect.arrayContaining(['Every payment service gets payments.']),
      payment_services: expect.arrayContaining([expect.objectContaining({ state: 'closed' })]),
      left_out: [],
    })
    expect((await callTool('get_reconciliation')).body).toEqual({ unmatched_lines: [], next_cursor: null })
  })

  test('is explained by the documentation', async () => {
    const { body } = await callTool('search_documentation', {
      query: 'how to retry a refund without paying twice',
    })
    expect(body.sections).toHaveLength(5)
    const page = await callTool('read_document', { path: body.sections[0].path })
    expect(page.body).toMatchObject({ path: body.sections[0].path, text: expect.stringContaining('# ') })
    expect(await callTool('read_document', { path: '../package.json' })).toMatchObject({ isError: true })
  })
})

test('a token with the scopes of a tool, as `railyard mcp` signs it, explains a disputed payment whole', async () => {
  const payment = await shop.sold(10_00)
  await shop.post(`/sandbox/transactions/${payment.id}/simulate`, { event: 'dispute_notified' })
  const explainer = tools.filter(({ name }) => name === 'explain_payment')
  const token = await railyard.client({ account: shop.account, scopes: toolScopes(explainer) })
  const { body } = await callerOf(await connect(railyard, token))('explain_payment', {
    payment_id: payment.id,
  })
  expect(body).toMatchObject({ left_out: [], disputes: [{ amount: 10_00 }] })
  expect(body.summary.join(' ')).toContain('disputed by the buyer’s bank')
})

test('a request_id with other values is told what it has done', async () => {
  const payment = await shop.sold(10_00)
  const refund = { payment_id: payment.id, ...request() }
  const first = await callTool('refund_payment', { ...refund, amount: 1_00 })
  expect(await callTool('refund_payment', { ...refund, amount: 2_00 })).toMatchObject({
    isError: true,
    body: { error: { code: 'duplicate_record', resource_id: first.body.result.id }, done: 'nothing' },
  })
})

describe('a key with few scopes', () => {
  test('reads what it may, is told what is left out, and moves no money', async () => {
    const payment = await shop.sold(10_00)
    const reader = callerOf(
      await connect(
        railyard,
        await railyard.client({ account: shop.account, scopes: ['transactions.read'] }),
      ),
    )
    expect((await reader('explain_payment', { payment_id: payment.id })).isError).toBe(false)
    expect((await reader('check_health')).body.left_out).toContain('incidents: the key lacks the scope')
    expect(await reader('refund_payment', { payment_id: payment.id, ...request() })).toMatchObject({
      isError: true,
      body: { error: { status: 403, code: 'forbidden' }, done: 'nothing' },
    })
    expect((await payment.read()).refunded_amount).toBe(0)
  })
})
