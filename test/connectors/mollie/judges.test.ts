import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/connectors/contract/outcome.ts'
import { movementMeanings } from '../../../src/connectors/mollie/capture.ts'
import { meanings } from '../../../src/connectors/mollie/payment-outcome.ts'
import { memberOf } from './fake-books.ts'
import { openBench, openPayment } from './harness.ts'

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../contracts/judges/mollie/${name}.json`, import.meta.url), 'utf8'))

interface Fixture {
  status: number
  body: Record<string, unknown> | unknown[] | null
}
interface Case {
  id: string
  responses: string[]
  expect: { isSuccessful?: boolean; isRedirect?: boolean; isPaid?: boolean; isExpired?: boolean }
  request?: { method: string; url: string }
}
const omnipay: { fixtures: Record<string, Fixture>; cases: Case[] } = read('omnipay')

const answerOf = ({ status, body }: Fixture, operation: string) => ({
  lost: false as const,
  status,
  headers: {},
  body: { ...body, metadata: { operation_id: operation } },
})

const statuses: readonly string[] = ['approved', 'pending', 'declined', 'failed', 'unknown']

test.each(Object.entries(omnipay.fixtures))(
  'a recorded answer has one outcome: %s',
  async (_name, fixture) => {
    for (const kind of ['sale', 'authorize', 'capture', 'refund', 'void', 'cancel'] as const) {
      const bench = openBench()
      const id = bench.nextId()
      bench.faults.push(answerOf(fixture, id))
      const outcome = await bench.run(kind, { id, kind, paymentReference: 'tr_WDqYK6vllg' })
      expect(statuses).toContain(outcome.status)
      if (fixture.status >= 400) expect(outcome.status).not.toBe('approved')
      bench.faults.push(answerOf(fixture, id))
      const finding = await bench.find({ id, kind, paymentReference: 'tr_WDqYK6vllg' })
      expect(['found', 'absent', 'unsure']).toContain(finding.status)
    }
  },
)

/** What the other library concludes of an outcome. */
const concludes = (outcome: Outcome) => ({
  isSuccessful: outcome.status === 'approved',
  isRedirect: outcome.status === 'pending' && outcome.approval !== undefined,
  isPaid: outcome.status === 'approved',
  isExpired: 'code' in outcome && outcome.code === 'incomplete_buyer_approval',
})

const FETCH = 'its success is that of the request, and its redirect is any link, of a decided payment too'
const differences: Readonly<Record<string, { members: (keyof Case['expect'])[]; reason: string }>> = {
  'FetchTransactionRequest/testSendSuccess': { members: ['isRedirect'], reason: FETCH },
  'FetchTransactionRequest/testSendExpired': { members: ['isSuccessful', 'isRedirect'], reason: FETCH },
}

const paymentCases = omnipay.cases.filter(({ id }) =>
  /^(?:CompletePurchase|FetchTransaction|Purchase)Request/.test(id),
)

test.each(paymentCases)(
  'another library agrees: $id',
  async ({ id: name, responses: [response = ''], expect: expected }) => {
    const fixture = omnipay.fixtures[response]
    if (!fixture) throw new Error(`no fixture ${response}`)
    const bench = openBench()
    const body: Record<string, unknown> = { ...fixture.body }
    const id = bench.nextId()
    const amount = Math.round(Number(memberOf(body['amount'], 'value') ?? 10) * 100)
    const isNew = name.startsWith('Purchase')
    bench.faults.push(answerOf(fixture, id))
    const operation = { id, kind: 'sale' as const, amount, paymentReference: `${body['id']}` }
    const finding = isNew ? undefined : await bench.find(operation)
    const outcome = finding
      ? finding.status === 'found'
        ? finding.outcome
        : undefined
      : await bench.run('sale', operation)
    // a payment that is not there is undecided here, and no success there
    if (!outcome) return expect(expected.isSuccessful).toBe(false)
    const allowed = differences[name]?.members ?? []
    const compared = Object.entries(concludes(outcome)).filter(([member]) => Object.hasOwn(expected, member))
    const different = compared.filter(([member, value]) => memberOf(expected, member) !== value)
    expect(different.map(([member]) => member)).toEqual(allowed)
  },
)

test.each(['RefundSuccess', 'Refund401Failure', 'Refund422Failure'])(
  'a recorded refund: %s',
  async (name) => {
    const fixture = omnipay.fixtures[name]
    if (!fixture) throw new Error(`no fixture ${name}`)
    const bench = openBench()
    const id = bench.nextId()
    bench.faults.push(answerOf(fixture, id))
    const outcome = await bench.run('refund', { id, amount: 5_95, paymentReference: 'tr_WDqYK6vllg' })
    // a success there is a request that was accepted: the refund itself is pending
    expect(outcome.status).toBe(name === 'RefundSuccess' ? 'pending' : 'failed')
  },
)

const prismStatus: { 'payment.status': Record<string, string>; 'refund.status': Record<string, string> } =
  read('prism-status')

/** Our meanings for the other orchestrator's; `canceled` is a payment that the buyer, or a void, has ended. */
const same: Readonly<Record<string, string>> = {
  waiting: 'authentication_pending pending',
  authorized: 'authorized',
  paid: 'charged',
  ended: 'voided failure',
  refused: 'failure',
}

test.each(Object.entries(prismStatus['payment.status']))('a payment that is %s is %s', (status, theirs) => {
  expect(same[meanings[status] ?? '']?.split(' ')).toContain(theirs)
})

test.each(Object.entries(prismStatus['refund.status']))('a refund that is %s is a %s', (status, theirs) => {
  const ours: string = { ...movementMeanings }[status as keyof typeof movementMeanings]
  const expected = { pending: ['pending'], success: ['approved'], failure: ['service_decline', 'canceled'] }
  expect(memberOf(expected, theirs)).toContain(ours)
})

interface PrismCase {
  id: string
  request: { method: string; path: string; body?: Record<string, unknown> }
}
const prism: { cases: PrismCase[] } = read('prism-requests')
const prismRequest = (id: string) => prism.cases.find((each) => each.id === id)?.request

/** The members that differ from the other orchestrator's request, each with its reason. */
const requestDifferences: Readonly<Record<string, string>> = {
  description: 'the merchant’s reference stands in for a description',
  redirectUrl: 'Railyard’s own page, which redirects to the merchant’s',
  webhookUrl: 'the provider tells of every payment',
  metadata: 'the operation’s id, by which the payment is found',
  cardToken: 'a token of mollie.js; the other one sends none, or another provider’s',
  cancelUrl: 'a buyer who gives up comes back, too',
  billingAddress: 'left out where it is not known; the other one sends null',
  shippingAddress: 'left out where it is not known; the other one sends null',
  sequenceType: 'left out for single payments, which is its default',
  locale: 'the provider takes the language of the browser',
  customerId: 'left out where there is none; the other one sends null',
}

const membersThatDiffer = (ours: Record<string, unknown>, theirs: Record<string, unknown>) =>
  [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].filter(
    (member) => JSON.stringify(sorted(ours[member])) !== JSON.stringify(sorted(theirs[member])),
  )

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).sort() : value

test.each(['authorize/Card', 'token_authorize/default', 'proxy_authorize/default'])(
  'our request beside %s',
  async (id) => {
    const bench = openBench()
    await bench.run('sale', { currency: 'USD' })
    const theirs = prismRequest(id)
    const ours = bench.fake.requests.at(-1)
    expect([ours?.method, ours?.path]).toEqual([theirs?.method, theirs?.path])
    const different = membersThatDiffer(ours?.body ?? {}, theirs?.body ?? {})
    expect(different.filter((member) => requestDifferences[member] === undefined)).toEqual([])
    expect(different.toSorted()).toEqual(Object.keys(requestDifferences).toSorted())
  },
)

test('our refund beside theirs: no reason is sent, and the metadata is ours', async () => {
  const bench = openBench()
  const payment = await openPayment(bench, 'sale', { currency: 'USD' })
  await bench.run('refund', { ...payment, id: bench.nextId(), currency: 'USD' })
  const ours = bench.fake.requests.at(-1)
  const theirs = prismRequest('refund/default')
  expect(ours?.path).toBe(theirs?.path.replace('probe_connector_txn_001', payment.paymentReference ?? ''))
  expect(membersThatDiffer(ours?.body ?? {}, theirs?.body ?? {})).toEqual(['metadata', 'description'])
})

test('our void of an authorization is its release; theirs cancels a payment that is not paid', async () => {
  const bench = openBench()
  const payment = await openPayment(bench)
  await bench.run('void', { ...payment, id: bench.nextId() })
  expect(bench.fake.requests.at(-1)).toMatchObject({
    method: 'POST',
    path: `/v2/payments/${payment.paymentReference}/release-authorization`,
  })
  expect(prismRequest('void/default')?.method).toBe('DELETE')
})
