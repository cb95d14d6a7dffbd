import { describe, expect, test } from 'vitest'
import type { OperationKind } from '../../../src/connectors/contract/call.ts'
import type { Outcome } from '../../../src/connectors/contract/outcome.ts'
import activemerchant from '../../contracts/judges/checkout/activemerchant.json' with { type: 'json' }
import status from '../../contracts/judges/checkout/prism-status.json' with { type: 'json' }
import { openBench } from './harness.ts'

type Fixture = Readonly<Record<string, unknown>>

const fixtures: Readonly<Record<string, Fixture>> = activemerchant.fixtures

/** Which request each of our operations has made when it gets one of the recorded answers. */
const operationOf = {
  authorize: 'authorize',
  purchase: 'sale',
  verify: 'authorize',
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  verify_payment: 'find',
} as const satisfies Record<string, OperationKind | 'find'>

const isCall = (call: string): call is keyof typeof operationOf => Object.hasOwn(operationOf, call)

const textOf = (body: Fixture, name: string): string | undefined =>
  typeof body[name] === 'string' ? body[name] : undefined

/** The status with which Checkout.com sends such a body. */
function statusOf(body: Fixture, call: keyof typeof operationOf): number {
  if ('error_type' in body) return 422
  if (operationOf[call] === 'find') return 200
  return 'id' in body || 'approved' in body ? 201 : 202
}

/** Runs the operation, whose request gets this answer; its reference and amount are the answer's. */
async function outcomeOf(call: keyof typeof operationOf, body: Fixture): Promise<Outcome> {
  const bench = openBench()
  const kind = operationOf[call]
  bench.faults.push({ lost: false, status: statusOf(body, call), headers: {}, body: { ...body } })
  const operation = {
    id: textOf(body, 'reference') ?? 'ours',
    currency: textOf(body, 'currency') ?? 'USD',
    amount: typeof body['amount'] === 'number' ? body['amount'] : 200,
    paymentReference: 'pay_fj3xswqe3emuxckocjx6td73ni',
  }
  if (kind !== 'find') return bench.run(kind, operation)
  const finding = await bench.find({ ...operation, kind: 'authorize' })
  return finding.status === 'found' ? finding.outcome : { status: 'unknown', reason: finding.status }
}

/** Our conclusion differs from that of the other library, each time for a reason. */
const differences: Readonly<Record<string, { status: Outcome['status']; why: string }>> = {
  test_successful_passing_incremental_authorization: {
    status: 'unknown',
    why: 'the answer of an increment is given to an authorization: it has no id of a payment',
  },
}

interface Expected {
  success?: boolean
  message?: string
  authorization?: string
  avs?: string
  cvv?: string
}

const cases = activemerchant.cases.flatMap(({ id, calls, responses, expect: expected }) => {
  const told: Readonly<Record<string, Expected | undefined>> = expected
  // an access token is not asked for: Railyard has a secret key
  const answers = responses.filter((name) => name !== 'successful_access_token_response')
  return calls.flatMap((call, index) => {
    const fixture = fixtures[answers[index] ?? '']
    if (!isCall(call) || !fixture) return []
    const conclusion =
      told[call] ?? (index === calls.length - 1 || calls.length > 1 ? told['response'] : undefined)
    const name = id.replace('checkout/', '')
    return [{ name: calls.length > 1 ? `${name}, ${call} ${index + 1}` : name, call, fixture, conclusion }]
  })
})

/** What the other library's letters are in our words. */
const addressWords: Readonly<Record<string, string>> = { S: 'unavailable' }
const securityCodeWords: Readonly<Record<string, string>> = { Y: 'match' }

describe('the recorded cases of another gateway library', () => {
  test('are many', () => expect(cases.length).toBeGreaterThan(45))

  test.each(cases)('$name', async ({ name, call, fixture, conclusion }) => {
    const outcome = await outcomeOf(call, fixture)
    const difference = differences[name]
    if (difference) return expect(outcome.status).toBe(difference.status)
    const isAccepted = outcome.status === 'approved' || outcome.status === 'pending'
    // captures, voids and refunds are accepted first
    const expectedStatus = ['capture', 'void', 'refund'].includes(call) ? 'pending' : 'approved'
    if (conclusion?.success !== undefined) expect(isAccepted).toBe(conclusion.success)
    if (isAccepted) expect(outcome.status).toBe(expectedStatus)
    if (!('facts' in outcome)) return
    if (conclusion?.avs) expect(outcome.facts.avs_response_code).toBe(addressWords[conclusion.avs])
    if (conclusion?.cvv) expect(outcome.facts.cvv_response_code).toBe(securityCodeWords[conclusion.cvv])
    if (conclusion?.authorization && call !== 'capture' && call !== 'void' && call !== 'refund')
      expect(outcome.references.transaction).toBe(conclusion.authorization)
    if (conclusion?.message && !isAccepted) {
      const words = conclusion.message.split(': ')
      const told = `${outcome.facts.raw_response_code} ${outcome.facts.raw_response_description}`
      for (const word of words) expect(told).toContain(word)
    }
  })
})

describe('every recorded answer has exactly one outcome', () => {
  const kinds = ['authorize', 'purchase', 'capture', 'refund', 'void', 'verify_payment'] as const
  test.each(Object.entries(fixtures))('%s', async (_, body) => {
    for (const call of kinds) {
      const outcome = await outcomeOf(call, body)
      expect(['approved', 'pending', 'declined', 'failed', 'unknown']).toContain(outcome.status)
    }
  })
})

/** What the other orchestrator's words are here. */
const meanings: Readonly<Record<string, string>> = {
  authorized: 'approved',
  charged: 'approved',
  'charged (setup)': 'approved',
  partially_charged: 'approved',
  failure: 'refused',
  // an authorization that was voided holds no money
  voided: 'refused',
  pending: 'pending',
  authentication_pending: 'pending',
}

const payment = (statusWord: string) => ({
  id: 'pay_fj3xswqe3emuxckocjx6td73ni',
  action_id: 'act_fj3xswqe3emuxckocjx6td73ni',
  amount: 200,
  currency: 'USD',
  status: statusWord,
  reference: 'ours',
  _links: {},
})

const statusCases = Object.entries(status['payment.status']).flatMap(([word, meaning]) =>
  [typeof meaning === 'string' ? meaning : Object.values(meaning)].flat().map((theirs) => ({ word, theirs })),
)

test.each(statusCases)('the status $word means $theirs', async ({ word, theirs }) => {
  const outcome = await outcomeOf('authorize', payment(word))
  const ours = outcome.status === 'declined' || outcome.status === 'failed' ? 'refused' : outcome.status
  expect(ours).toBe(meanings[theirs])
})
