import { describe, expect, test } from 'vitest'
import type { Call, OperationKind } from '../../../src/connectors/contract/call.ts'
import type { Outcome } from '../../../src/connectors/contract/outcome.ts'
import activemerchant from '../../contracts/judges/adyen/activemerchant.json' with { type: 'json' }
import official from '../../contracts/judges/adyen/official-checkout.json' with { type: 'json' }
import disputes from '../../contracts/judges/adyen/official-disputes.json' with { type: 'json' }
import management from '../../contracts/judges/adyen/official-management.json' with { type: 'json' }
import status from '../../contracts/judges/adyen/prism-status.json' with { type: 'json' }
import { openBench } from './harness.ts'

const statuses = ['approved', 'pending', 'declined', 'failed', 'unknown']

const answer = (httpStatus: number, body: unknown) => ({
  lost: false as const,
  status: httpStatus,
  headers: {},
  body: typeof body === 'object' && body !== null ? { ...body } : {},
})

/** The operations that read the answers of each path. */
const readers: Readonly<Record<string, OperationKind | 'details' | 'session'>> = {
  '/payments': 'authorize',
  '/payments/details': 'details',
  '/payments/{paymentPspReference}/captures': 'capture',
  '/payments/{paymentPspReference}/cancels': 'void',
  '/payments/{paymentPspReference}/refunds': 'refund',
  '/payments/{paymentPspReference}/amountUpdates': 'increment',
  '/cancels': 'cancel',
  '/sessions': 'session',
}

const references = {
  paymentReference: '993617894906488A',
  identifiers: { payment_service_reference: 'ours', payment_service_authorized_amount: '1000' },
}

/** Runs the operation that reads this path, with one answer to its request. */
async function outcomeOf(path: string, httpStatus: number, body: unknown): Promise<Outcome> {
  const reader = readers[path]
  const bench = openBench(reader === 'session' ? 'adyen-ideal' : 'adyen-card')
  bench.faults.push(answer(httpStatus, body))
  if (reader === 'details') {
    const outcome = bench.connector.completeApproval?.(bench.call({}), { redirectResult: 'x' })
    if (!outcome) throw new Error('it completes nothing')
    return outcome
  }
  if (reader === undefined) throw new Error(`no reader of ${path}`)
  if (reader !== 'session') return bench.run(reader, references)
  const call: Call = bench.call({ kind: 'sale' })
  const purchase = await call.payment?.purchase()
  return bench.run('sale', {}, purchase && { order: { ...purchase, integrationClient: 'redirect' } })
}

interface Example {
  path: string
  code: number
  name: string
  body: Readonly<Record<string, unknown>>
}

const examples = official.cases.flatMap(({ path, responses }): Example[] =>
  readers[path] === undefined
    ? []
    : Object.entries(responses).flatMap(([code, byName]) =>
        Object.entries<object>(byName).map(([name, body]) => ({
          path,
          code: Number(code),
          name,
          body: { ...body },
        })),
      ),
)

/**
 * What each official answer is to us. An answer with a reference of its own belongs to another request of
 * ours, and is unknown: the examples have placeholders.
 */
const expectedOf = (path: string, code: number, name: string, hasReference: boolean): string => {
  if (path === '/payments/details' && code >= 400 && code < 500) return 'pending'
  if (code === 500) return path === '/payments/details' ? 'pending' : 'failed'
  if (code >= 400) return 'failed'
  if (path === '/payments')
    return name === 'card-3d-secure-2-web' || name === 'ideal' ? 'pending' : 'by its reference'
  // a result that names no payment may be another payment's: its webhook decides
  if (path === '/payments/details') return hasReference ? 'approved' : 'pending'
  return 'unknown'
}

describe('the official examples', () => {
  test.each(examples)('$path $code $name has one outcome', async ({ path, code, name, body }) => {
    const outcome = await outcomeOf(path, code, body)
    expect(statuses).toContain(outcome.status)
    const hasReference = 'merchantReference' in body
    const expected = expectedOf(path, code, name, hasReference)
    if (expected === 'by its reference')
      expect(outcome.status).toBe(
        hasReference ? 'unknown' : code === 200 && 'action' in body ? 'pending' : 'approved',
      )
    else expect(outcome.status).toBe(expected)
  })

  test('of payments are read once they have our reference', async () => {
    for (const { name, body } of examples.filter(({ path, code }) => path === '/payments' && code === 200)) {
      const bench = openBench()
      const { id } = bench.call({}).operation
      const ours = 'merchantReference' in body ? { ...body, merchantReference: id } : body
      const outcome = await outcomeOf('/payments', 200, ours)
      // its amount is in dollars, and we asked for euros
      const isOther = name === 'split-balanceplatform'
      const expected = isOther ? 'unknown' : 'action' in body ? 'pending' : 'approved'
      expect([name, outcome.status]).toEqual([name, expected])
    }
  })

  test.each(disputes.cases)('$path of the disputes is read', async ({ path, responses }) => {
    for (const body of Object.values(responses).flatMap((byName) => Object.values(byName))) {
      const bench = openBench()
      bench.faults.push(answer(200, body))
      if (path === '/acceptDispute')
        expect(await bench.connector.disputes?.accept(bench.call({}), { key: 'k', id: 'D' })).toEqual({
          status: 'done',
        })
    }
  })

  test.each(management.cases)('$method $path of the management is read', async ({ responses }) => {
    for (const [code, byName] of Object.entries(responses))
      for (const body of Object.values(byName)) {
        const bench = openBench()
        bench.faults.push(answer(Number(code), body))
        const registered = await bench.connector.registerNotifications?.(bench.call({}))
        expect(['registered', 'refused', 'unknown']).toContain(registered?.status)
      }
  })
})

const operationOf = {
  authorize: 'authorize',
  purchase: 'authorize',
  verify: 'authorize',
  store: 'authorize',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  adjust: 'increment',
} as const satisfies Record<string, OperationKind>

const fixtures: Readonly<Record<string, unknown>> = activemerchant.fixtures

/** Our conclusion differs from that of the other library, each time for a reason. */
const differences: Readonly<Record<string, string>> = {
  test_failed_authorize_with_unexpected_3ds: 'a redirect without an action is no answer of this API version',
  test_failed_authorize_with_unexpected_3ds_with_flag_ignore_threed_dynamic:
    'a redirect without an action is no answer of this API version',
  test_extended_avs_response: 'an answer without a result is unknown',
}

const recorded = activemerchant.cases.flatMap(({ id, calls, responses, expect: expected }) => {
  const [call] = calls
  const [fixture] = responses
  const response: Record<string, unknown> | undefined =
    'response' in expected ? { ...expected.response } : undefined
  return call !== undefined &&
    call in operationOf &&
    fixture !== undefined &&
    typeof response?.['success'] === 'boolean'
    ? [{ name: id.replace('adyen/', ''), call: call as keyof typeof operationOf, fixture, response }]
    : []
})

describe('the cases of another gateway library', () => {
  test('are many', () => expect(recorded.length).toBeGreaterThan(40))

  test.each(recorded)('$name', async ({ name, call, fixture, response }) => {
    const bench = openBench()
    const body: Record<string, unknown> = { ...(fixtures[fixture] as object) }
    const code = typeof body['status'] === 'number' ? body['status'] : 200
    bench.faults.push(answer(code, body))
    const outcome = await bench.run(operationOf[call], references)
    // the classic API answers modifications in words that this API version does not have
    const isClassic = `${body['response'] ?? ''}`.startsWith('[')
    if (isClassic) return expect(outcome.status).toBe('unknown')
    if (differences[name] !== undefined) return expect(outcome.status).not.toBe('approved')
    expect(outcome.status === 'approved').toBe(response['success'])
    if (typeof response['message'] === 'string' && 'facts' in outcome && outcome.status !== 'approved') {
      const words = response['message'].split(' | ')
      const told = `${outcome.facts.raw_response_code} ${outcome.facts.raw_response_description}`
      for (const word of words) expect(told).toContain(word)
    }
  })
})

/** What the other orchestrator's words are here. */
const meanings: Readonly<Record<string, string>> = {
  authorized: 'approved',
  charged: 'approved',
  failure: 'refused',
  voided: 'refused',
  pending: 'pending',
  authentication_pending: 'pending',
}

/** Differences, each with its reason. */
const ours: Readonly<Record<string, string>> = {
  Error: 'unknown', // the acquirer may have got the payment: its webhook tells
  AuthenticationFinished: 'unknown', // Railyard never asks for an authentication alone
  AuthenticationNotRequired: 'unknown',
}

test.each(Object.entries(status.resultCode))(
  'the result %s means what it means elsewhere',
  async (resultCode, theirs) => {
    const body = {
      resultCode,
      pspReference: 'P',
      refusalReason: 'Refused',
      action: { type: 'redirect', url: 'https://issuer.example/', method: 'GET' },
    }
    const outcome = await outcomeOf('/payments', 200, body)
    const word = outcome.status === 'declined' || outcome.status === 'failed' ? 'refused' : outcome.status
    const meaning = typeof theirs === 'string' ? theirs : theirs.automatic_capture
    expect(word).toBe(ours[resultCode] ?? meanings[meaning])
  },
)
