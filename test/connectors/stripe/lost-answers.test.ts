import { describe, expect, test } from 'vitest'
import type { Call, OperationKind } from '../../../src/connectors/contract/call.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { bench, visa } from './support.ts'

const opening = ({ method, url }: HttpRequest) => method === 'POST' && url.endsWith('/payment_intents')
const confirming = ({ url }: HttpRequest) => url.endsWith('/confirm')

const HOUR_MS = 3_600_000

/** The same operation as recovery sends or looks it up, with what was committed. */
const again = (call: Call, committed: readonly string[]): Call => ({
  ...call,
  operation: { ...call.operation, committedReference: committed.at(-1) ?? null, sentBefore: true },
})

describe('a payment whose answer is lost', () => {
  test('at the opening is absent, and its intent is canceled', async () => {
    const { stripe, connector, call, lose, committed } = bench()
    const asked = call({}, visa)
    lose(opening)
    expect(await connector.operations.authorize?.(asked)).toMatchObject({ status: 'unknown' })
    expect(committed).toEqual([])
    expect(await connector.close?.(again(asked, committed))).toEqual({ status: 'absent' })
    expect([...stripe.intents.values()].map(({ status }) => status)).toEqual(['canceled'])
    expect(stripe.violations).toEqual([])
  })

  test('at the opening is closed two days later, too', async () => {
    const { stripe, connector, call, lose, committed } = bench()
    const asked = call({}, visa)
    lose(opening)
    await connector.operations.authorize?.(asked)
    stripe.advance(48 * HOUR_MS)
    expect(await connector.close?.(again(asked, committed))).toEqual({ status: 'absent' })
    expect([...stripe.intents.values()].map(({ status }) => status)).toEqual(['canceled'])
  })

  test('at the opening gets the same intent when it is sent again', async () => {
    const { stripe, connector, call, lose, committed } = bench()
    const asked = call({}, visa)
    lose(opening)
    await connector.operations.authorize?.(asked)
    expect(await connector.operations.authorize?.(again(asked, committed))).toMatchObject({
      status: 'approved',
    })
    expect(stripe.intents.size).toBe(1)
    expect(stripe.effects()).toHaveLength(1)
  })

  test('at the confirmation is found in the intent', async () => {
    const { stripe, connector, call, lose, committed } = bench()
    const asked = call({}, visa)
    lose(confirming)
    expect(await connector.operations.authorize?.(asked)).toMatchObject({ status: 'unknown' })
    const found = { status: 'found', outcome: { status: 'approved', amount: 10_00 } }
    expect(await connector.close?.(again(asked, committed))).toMatchObject(found)
    expect(await connector.find(again(asked, committed))).toMatchObject(found)
    expect(stripe.effects()).toHaveLength(1)
  })

  test('at a declined confirmation is found as declined', async () => {
    const { connector, call, lose, committed } = bench()
    const asked = call({}, { instrument: { providerToken: 'pm_card_visa_chargeDeclinedLostCard' } })
    lose(confirming)
    expect(await connector.operations.authorize?.(asked)).toMatchObject({ status: 'unknown' })
    expect(await connector.close?.(again(asked, committed))).toMatchObject({
      outcome: { status: 'declined', code: 'canceled_payment_method' },
    })
  })

  test('at a challenge is closed: its buyer has never seen the page', async () => {
    const { stripe, connector, call, lose, committed } = bench()
    const asked = call({}, { instrument: { providerToken: 'pm_card_threeDSecure2Required' } })
    lose(confirming)
    await connector.operations.authorize?.(asked)
    expect(await connector.close?.(again(asked, committed))).toEqual({ status: 'absent' })
    expect(stripe.intent(committed[0] ?? '').status).toBe('canceled')
  })

  test('at a challenge that is passed just before it is closed has failed: closing has released it', async () => {
    const { stripe, connector, call, lose, committed, http } = bench()
    const asked = call({}, { instrument: { providerToken: 'pm_card_threeDSecure2Required' } })
    lose(confirming)
    await connector.operations.authorize?.(asked)
    const [id = ''] = committed
    const closing = {
      ...again(asked, committed),
      http: (request: HttpRequest) => {
        if (request.url.endsWith('/cancel')) stripe.visit(`https://hooks.stripe.test/${id}`, 'approve')
        return http(request)
      },
    }
    const canceled = { status: 'found', outcome: { status: 'failed', code: 'canceled' } }
    expect(await connector.close?.(closing)).toMatchObject(canceled)
    expect(stripe.intent(id)).toMatchObject({ status: 'canceled', charge: { status: 'succeeded' } })
    // a process that died before it recorded the outcome finds the same
    expect(await connector.close?.(again(asked, committed))).toMatchObject(canceled)
  })

  test.each([
    ['before the id is committed', true],
    ['after the id is committed', false],
  ])('because the process dies %s is absent for ever', async (_when, isBefore) => {
    const { stripe, connector, call, committed } = bench()
    const asked = call({}, visa)
    const dies = {
      ...asked,
      commitReference: async (id: string) => {
        if (!isBefore) committed.push(id)
        throw new Error('the process died')
      },
    }
    await expect(connector.operations.authorize?.(dies)).rejects.toThrow('died')
    expect(await connector.close?.(again(asked, committed))).toEqual({ status: 'absent' })
    // what the process had sent arrives late
    const late = { ...asked, operation: { ...asked.operation, committedReference: 'pi_fake1' } }
    expect(await connector.operations.authorize?.(late)).not.toMatchObject({ status: 'approved' })
    expect(stripe.effects()).toEqual([])
  })
})

describe('a later operation whose answer is lost', () => {
  async function prepared(kind: OperationKind) {
    const opened = bench()
    const first = kind === 'refund' ? 'sale' : 'authorize'
    const outcome = await opened.connector.operations[first]?.(opened.call({ kind: first }, visa))
    const id = outcome?.status === 'approved' ? (outcome.references.transaction ?? '') : ''
    return { ...opened, asked: opened.call({ kind, amount: 4_00, paymentReference: id }) }
  }

  test.each(['capture', 'increment', 'void', 'refund'] as const)(
    '%s is found, and has one effect however often it is sent',
    async (kind) => {
      const { stripe, connector, lose, asked } = await prepared(kind)
      lose(({ method }) => method === 'POST')
      expect(await connector.operations[kind]?.(asked)).toMatchObject({ status: 'unknown' })
      expect(await connector.find(asked)).toMatchObject({ status: 'found', outcome: { status: 'approved' } })
      for (const hours of [1, 30]) {
        stripe.advance(hours * HOUR_MS)
        expect(
          await connector.operations[kind]?.({
            ...asked,
            operation: { ...asked.operation, sentBefore: true },
          }),
        ).toMatchObject({ status: 'approved' })
      }
      expect(stripe.effects()).toHaveLength(2)
      expect(stripe.violations).toEqual([])
    },
  )

  test.each(['capture', 'increment', 'void', 'refund'] as const)(
    '%s that never arrived is absent',
    async (kind) => {
      const { connector, asked } = await prepared(kind)
      expect(await connector.find(asked)).toEqual({ status: 'absent' })
    },
  )
})

describe('an answer that says nothing', () => {
  const answering = (status: number, body: Record<string, unknown>) => async (): Promise<HttpAnswer> => ({
    lost: false,
    status,
    headers: {},
    body,
  })

  test.each([
    ['a server error', 500, { error: { type: 'api_error' } }],
    ['other parameters under the key', 400, { error: { type: 'idempotency_error' } }],
    [
      'a request under the key in progress',
      409,
      { error: { type: 'invalid_request_error', code: 'idempotency_key_in_use' } },
    ],
    ['a locked object', 429, { error: { type: 'invalid_request_error', code: 'lock_timeout' } }],
    ['the page of a proxy', 400, { text: '<html>' }],
    ['an empty answer', 200, {}],
    ['another intent', 200, { id: 'pi_other', object: 'payment_intent' }],
  ])('such as %s leaves the payment unknown', async (_what, status, body) => {
    const { connector, call } = bench()
    const asked = { ...call({ committedReference: 'pi_1' }, visa), http: answering(status, body) }
    expect(await connector.operations.authorize?.(asked)).toMatchObject({ status: 'unknown' })
  })

  test('such as too many requests is no outcome: nothing was processed', async () => {
    const { connector, call } = bench()
    const http = answering(429, { error: { type: 'invalid_request_error', code: 'rate_limit' } })
    expect(await connector.operations.authorize?.({ ...call({}, visa), http })).toMatchObject({
      status: 'failed',
      code: 'service_rate_limit',
      unprocessed: true,
    })
  })
})
