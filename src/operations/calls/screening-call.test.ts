import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { addAntiFraudService } from '../../../test/support/domains/anti-fraud.ts'
import { injectFaults } from '../../../test/support/provider.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { ScreenedPayment } from '../../connectors/contract/anti-fraud-connector.ts'
import { newOperation, type OperationRow } from '../operation.ts'
import { sendScreening } from './screening-call.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()
const account = merchant.account
const service = (await addAntiFraudService(railyard, merchant)).id

const screeningBy = (id: string): OperationRow =>
  newOperation(
    {
      merchant_account_id: account,
      id: randomUUID(),
      transaction_id: randomUUID(),
      kind: 'screening',
      amount: 10_00,
      currency: 'EUR',
      payment_service_id: null,
      check_at: null,
      created_at: new Date().toISOString(),
    },
    { input: { anti_fraud_service: id } },
  )

const shown = ({ id, transaction_id }: OperationRow, email: string | null): ScreenedPayment => ({
  id,
  transactionId: transaction_id,
  amount: 10_00,
  currency: 'EUR',
  method: 'card',
  card: { bin: '411111', last4: '1111', scheme: 'visa', fingerprint: null },
  buyer: { id: null, name: null, email, billing: null },
  shipping: null,
  lines: [],
  ipAddress: null,
  deviceFingerprint: null,
  paymentSource: 'ecommerce',
  externalIdentifier: null,
})

async function ask(operation: OperationRow, payment: ScreenedPayment | undefined) {
  const { findings, ...performed } = await sendScreening(railyard.world, operation, payment)
  const { screening, timeline = [] } = findings ?? {}
  if (!screening) throw new Error('nothing was found')
  return { ...performed, screening, story: timeline }
}

const screen = (email: string | null, operation = screeningBy(service)) =>
  ask(operation, shown(operation, email))

test('a payment that is rejected is declined as suspected fraud', async () => {
  const { outcome, screening, story, exchanges } = await screen('reject@example.com')
  expect(outcome).toMatchObject({
    status: 'declined',
    code: 'suspected_fraud',
    references: { operation: screening.check_id },
  })
  expect(screening).toEqual({
    service: { id: service, name: 'Fraud checks', definition_id: 'mock-anti-fraud' },
    decision: 'reject',
    check_id: expect.stringMatching(/^chk_/),
  })
  expect(exchanges).toHaveLength(1)
  expect(story).toEqual([
    {
      name: 'anti-fraud-decision',
      context: {
        anti_fraud_service_id: service,
        anti_fraud_service_name: 'Fraud checks',
        anti_fraud_service_definition_id: 'mock-anti-fraud',
        anti_fraud_check_id: screening.check_id,
        request: expect.objectContaining({ amount: 10_00 }),
        response: expect.objectContaining({ decision: 'reject' }),
        response_status_code: 201,
        decision: 'reject',
      },
    },
  ])
})

test.each([
  { email: 'accept@example.com', decision: 'accept', line: 'anti-fraud-decision' },
  { email: 'review@example.com', decision: 'review', line: 'anti-fraud-decision' },
  { email: 'error@example.com', decision: 'error', line: 'anti-fraud-decision-error' },
  { email: 'timeout@example.com', decision: 'exception', line: 'anti-fraud-decision-error' },
  { email: 'unavailable@example.com', decision: 'skipped', line: 'anti-fraud-decision-error' },
  { email: null, decision: 'skipped', line: 'anti-fraud-decision-skipped' },
])('$email is $decision, and the payment goes on', async ({ email, decision, line }) => {
  const { outcome, screening, story } = await screen(email)
  expect(outcome).toMatchObject({ status: 'approved', amount: 10_00 })
  expect(screening).toMatchObject({ decision, service: { id: service } })
  expect(story).toMatchObject([{ name: line, context: { anti_fraud_service_id: service } }])
})

test('a service that misbehaves stops no payment', async () => {
  for (const kind of ['error', 'lost', 'reset', 'malformed', 'empty', 'outage'] as const) {
    await injectFaults(railyard, { operation: 'screening', kind, times: 1 })
    const { outcome, screening } = await screen('reject@example.com')
    expect([kind, outcome.status, ['exception', 'skipped'].includes(screening.decision)]).toEqual([
      kind,
      'approved',
      true,
    ])
  }
})

test('a service that is gone, or a payment of which nothing is known any more, stops none either', async () => {
  expect(await screen('reject@example.com', screeningBy(randomUUID()))).toMatchObject({
    outcome: { status: 'approved' },
    screening: { decision: 'exception' },
    exchanges: [],
  })
  expect(await ask(screeningBy(service), undefined)).toMatchObject({
    outcome: { status: 'approved' },
    screening: { decision: 'exception' },
    story: [{ name: 'anti-fraud-decision-error' }],
  })
})
