import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import { stripeCard } from '../../../src/connectors/stripe/connector.ts'
import { CONNECT_WEBHOOK_SECRET, WEBHOOK_SECRET } from './fake.ts'
import { bench, visa } from './support.ts'

const read = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/contracts/judges/${path}`, import.meta.url), 'utf8'))
const official: Record<string, Record<string, unknown>> = read('stripe/official-objects.json').objects

const flip = (text: string) => `${text.slice(0, -2)}${text.at(-2) === '0' ? '1' : '0'}${text.slice(-1)}`

/** What the payment of a notification has if it was made on the merchant's own account. */
const own = { stripe_account: null }

const dispute = (status: string, more: Record<string, unknown> = {}) => ({
  ...official['dispute'],
  id: 'dp_1',
  amount: 1000,
  currency: 'eur',
  payment_intent: 'pi_1',
  network_reason_code: '10.4',
  reason: 'fraudulent',
  status,
  evidence_details: { due_by: 1_800_000_000, has_evidence: false, past_due: false, submission_count: 0 },
  ...more,
})

describe('a notification', () => {
  test('of a payment makes Railyard look it up', async () => {
    const { stripe, connector, call } = bench()
    await connector.operations.sale?.(call({ kind: 'sale' }, visa))
    const [message] = stripe.takeNotifications()
    expect(message && (await connector.readNotification?.(call(), message))).toEqual({
      about: 'payment',
      payment: stripe.effects()[0]?.payment,
      identifiers: own,
    })
  })

  test('of a refund is about its payment; one of a payout about nothing', async () => {
    const { stripe, connector, call } = bench()
    const subject = (type: string, object: Record<string, unknown>) =>
      connector.readNotification?.(call(), stripe.signed(type, object))
    const refund = { ...official['refund'], payment_intent: 'pi_7' }
    expect(await subject('refund.failed', refund)).toEqual({
      about: 'payment',
      payment: 'pi_7',
      identifiers: own,
    })
    expect(await subject('payout.paid', official['payout'] ?? {})).toEqual({ about: 'nothing' })
  })

  test.each(['payment', 'refund', 'dispute'] as const)(
    'of a %s on a connected account names the account, under the secret of its endpoint',
    async (kind) => {
      const { stripe, connector, call } = bench({
        fields: { webhook_secret: `${WEBHOOK_SECRET},${CONNECT_WEBHOOK_SECRET}` },
      })
      const identifiers = { stripe_account: 'acct_9' }
      const refund = { ...official['refund'], payment_intent: 'pi_7', status: 'failed' }
      const [sent, subject] = {
        payment: [
          stripe.signed('payment_intent.succeeded', { id: 'pi_7', object: 'payment_intent' }, 'acct_9'),
          { about: 'payment', payment: 'pi_7', identifiers },
        ],
        refund: [
          stripe.signed(
            'refund.failed',
            { ...refund, metadata: { railyard_operation: 'operation-1' } },
            'acct_9',
          ),
          [
            { about: 'payment', payment: 'pi_7', identifiers },
            { about: 'operation', operation: 'operation-1', late: 'failure', identifiers },
          ],
        ],
        dispute: [
          stripe.signed('charge.dispute.created', dispute('needs_response'), 'acct_9'),
          { about: 'dispute', dispute: expect.objectContaining({ id: 'dp_1', identifiers }) },
        ],
      }[kind] as [NotificationForCall, unknown]
      expect(await connector.readNotification?.(call(), sent)).toEqual(subject)
    },
  )

  test('of a connected account is forged if only the secret of the account is configured', async () => {
    const { stripe, connector, call } = bench()
    const sent = stripe.signed('payment_intent.succeeded', official['payment_intent'] ?? {}, 'acct_9')
    expect(await connector.readNotification?.(call(), sent)).toEqual({ about: 'forged' })
  })

  test.each([
    ['one byte of the text is changed', (sent: NotificationForCall) => ({ ...sent, text: flip(sent.text) })],
    ['the signature is missing', (sent: NotificationForCall) => ({ ...sent, headers: {} })],
    [
      'one character of the signature is changed',
      (sent: NotificationForCall) => ({
        ...sent,
        headers: { 'stripe-signature': flip(String(sent.headers['stripe-signature'])) },
      }),
    ],
  ])('is forged if %s', async (_what, change) => {
    const { stripe, connector, call } = bench()
    const sent = stripe.signed('payment_intent.succeeded', official['payment_intent'] ?? {})
    expect(await connector.readNotification?.(call(), change(sent))).toEqual({ about: 'forged' })
  })

  test('is forged six minutes later, and without a secret in the configuration', async () => {
    const { stripe, connector, call } = bench()
    const sent = stripe.signed('payment_intent.succeeded', official['payment_intent'] ?? {})
    const open = bench({ fields: { webhook_secret: '' } })
    expect(await open.connector.readNotification?.(open.call(), sent)).toEqual({ about: 'forged' })
    stripe.time += 6 * 60_000
    expect(await connector.readNotification?.(call(), sent)).toEqual({ about: 'forged' })
  })

  test('is accepted under the old secret and the new one while they rotate', async () => {
    const { stripe } = bench()
    const rotating = bench({ fields: { webhook_secret: `whsec_new, ${WEBHOOK_SECRET}` } })
    const sent = stripe.signed('payment_intent.succeeded', official['payment_intent'] ?? {})
    expect(await rotating.connector.readNotification?.(rotating.call(), sent)).toMatchObject({
      about: 'payment',
    })
  })
})

test('the published vector of the signature is accepted, and refused with one byte changed', async () => {
  const vectors: { provider: string; secret: string; timestamp: number; body: string; value: string }[] =
    read('signatures.json').vectors
  const vector = vectors.find(({ provider }) => provider === 'stripe')
  if (!vector) throw new Error('there is no vector')
  const { call } = bench({ fields: { webhook_secret: vector.secret } })
  const connector = stripeCard({ clock: { now: () => vector.timestamp * 1000 }, isSandbox: true })
  const subject = (text: string) =>
    connector.readNotification?.(call(), {
      headers: { 'stripe-signature': vector.value },
      text,
      body: JSON.parse(text),
    })
  expect(await subject(vector.body)).toEqual({ about: 'nothing' })
  expect(await subject(vector.body.replace('evt_1', 'evt_2'))).toEqual({ about: 'forged' })
})

describe('a dispute', () => {
  test.each([
    ['warning_needs_response', 'charge.dispute.created', 'inquiry', null, true],
    ['warning_under_review', 'charge.dispute.updated', 'inquiry', null, false],
    ['warning_closed', 'charge.dispute.closed', 'closed', null, false],
    ['needs_response', 'charge.dispute.created', 'needs_response', null, true],
    ['needs_response', 'charge.dispute.funds_withdrawn', 'needs_response', 'withdrawn', true],
    ['under_review', 'charge.dispute.updated', 'under_review', null, false],
    ['appeal_needs_response', 'charge.dispute.updated', 'needs_response', null, true],
    ['appeal_under_review', 'charge.dispute.updated', 'under_review', null, false],
    ['won', 'charge.dispute.funds_reinstated', 'won', 'returned', false],
    ['lost', 'charge.dispute.closed', 'lost', null, false],
    ['prevented', 'charge.dispute.closed', 'closed', null, false],
  ])('that is %s (%s) is told as %s', async (status, type, ours, funds, isDue) => {
    const { stripe, connector, call } = bench()
    expect(await connector.readNotification?.(call(), stripe.signed(type, dispute(status)))).toEqual({
      about: 'dispute',
      dispute: {
        id: 'dp_1',
        payment: 'pi_1',
        status: ours,
        amount: 10_00,
        currency: 'EUR',
        funds,
        reasonCode: '10.4',
        reason: 'fraudulent',
        evidenceDueAt: isDue ? '2027-01-15T08:00:00.000Z' : null,
        occurredAt: '2026-11-23T00:00:00.000Z',
        identifiers: own,
      },
    })
  })
})
