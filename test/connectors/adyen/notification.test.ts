import { expect, test } from 'vitest'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import official from '../../contracts/judges/adyen/official-webhooks.json' with { type: 'json' }
import statuses from '../../contracts/judges/adyen/prism-status.json' with { type: 'json' }
import prism from '../../contracts/judges/adyen/prism-webhooks.json' with { type: 'json' }
import { HMAC_KEY, MERCHANT } from './fake.ts'
import { signatureOf, signedWebhook } from './fake-webhook.ts'
import { type Bench, openBench } from './harness.ts'

/** The provider's published vector. */
const vector = {
  pspReference: '7914073381342284',
  originalReference: '',
  merchantAccountCode: 'TestMerchant',
  merchantReference: 'TestPayment-1407325143704',
  amount: { value: 1130, currency: 'EUR' },
  eventCode: 'AUTHORISATION',
  success: 'true',
}
const vectorSignature = 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0='

const messageOf = (...items: Record<string, unknown>[]): NotificationForCall => {
  const body = {
    live: 'false',
    notificationItems: items.map((NotificationRequestItem) => ({ NotificationRequestItem })),
  }
  return { headers: {}, text: JSON.stringify(body), body }
}

const read = async (bench: Bench, message: NotificationForCall) =>
  [(await bench.connector.readNotification?.(bench.call({}), message)) ?? []].flat()

const signed = (item: Record<string, unknown>) => ({
  ...item,
  additionalData: { ...(item['additionalData'] as object), hmacSignature: signatureOf(item, HMAC_KEY) },
})

test('the provider’s published signature is accepted', async () => {
  const bench = openBench()
  bench.fields['merchant_account'] = 'TestMerchant'
  expect(signatureOf(vector, HMAC_KEY)).toBe(vectorSignature)
  const item = { ...vector, additionalData: { hmacSignature: vectorSignature } }
  // its reference is of no payment of ours
  expect(await read(bench, messageOf(item))).toEqual([])
})

test.each([
  ['pspReference', { pspReference: '7914073381342285' }],
  ['originalReference', { originalReference: '1' }],
  ['merchantAccountCode', { merchantAccountCode: 'TestMerchanT' }],
  ['merchantReference', { merchantReference: 'TestPayment-1407325143705' }],
  ['amount', { amount: { value: 1131, currency: 'EUR' } }],
  ['currency', { amount: { value: 1130, currency: 'USD' } }],
  ['eventCode', { eventCode: 'CAPTURE' }],
  ['success', { success: 'false' }],
  ['hmacSignature', { additionalData: { hmacSignature: vectorSignature.replace('c', 'd') } }],
  ['hmacSignature', { additionalData: {} }],
])('a changed %s is a forgery', async (_, change) => {
  const item = { ...vector, additionalData: { hmacSignature: vectorSignature }, ...change }
  expect(await read(openBench(), messageOf(item))).toEqual([{ about: 'forged' }])
})

test('one forged event among others makes the webhook a forgery', async () => {
  const good = signed(vector)
  expect(await read(openBench(), messageOf(good, { ...good, success: 'false' }))).toEqual([
    { about: 'forged' },
  ])
})

test('without a key no webhook is believed', async () => {
  const bench = openBench()
  for (const key of ['', 'secret', 'abc']) {
    bench.fields['hmac_key'] = key
    expect(await read(bench, messageOf(signed(vector)))).toEqual([{ about: 'nothing' }])
  }
})

test('a webhook of another merchant account is about nothing of ours', async () => {
  expect(await read(openBench(), messageOf(signed(vector)))).toEqual([])
})

test('each kept event has its operation and its payment, and no personal data', async () => {
  const bench = openBench()
  const reference = bench.nextId()
  const message = messageOf(
    signed({
      eventCode: 'CAPTURE',
      success: 'true',
      pspReference: 'MODIFICATION',
      originalReference: 'PAYMENT',
      merchantReference: reference,
      merchantAccountCode: MERCHANT,
      amount: { value: 10_00, currency: 'EUR' },
      additionalData: { shopperEmail: 'jane@example.com', cardHolderName: 'Jane Doe', cardSummary: '1111' },
    }),
  )
  const subjects = await read(bench, message)
  expect(subjects).toMatchObject([
    { about: 'operation', operation: reference, notice: { id: 'CAPTURE:MODIFICATION:true' } },
    { about: 'payment', payment: 'PAYMENT', notice: { id: 'CAPTURE:MODIFICATION:true:payment' } },
    { about: 'payment', payment: reference },
  ])
  expect(JSON.stringify(subjects)).not.toMatch(/jane|doe|1111/i)
})

test('the notice of an authorization has no digits of the card', async () => {
  const bench = openBench()
  await bench.run('authorize', { id: bench.nextId() })
  const [message] = bench.fake.takeNotifications()
  if (!message) throw new Error('no webhook')
  expect(message.text).toContain('1111:03/2030')
  expect(JSON.stringify(await read(bench, message))).not.toContain('1111:03')
})

test('a webhook that comes again is kept once', async () => {
  const bench = openBench()
  const operation = { id: bench.nextId(), kind: 'authorize' as const }
  await bench.run('authorize', operation)
  const messages = bench.fake.takeNotifications()
  await bench.deliver([...messages, ...messages])
  expect(await bench.call(operation).notices()).toHaveLength(1)
})

interface Webhook {
  notificationItems?: readonly { NotificationRequestItem: object }[]
}

const officialItems = official.cases.flatMap(({ path, requests }) =>
  Object.entries(requests).map(([name, body]: [string, Webhook]) => ({ path, name, body })),
)

test.each(officialItems)('the official example $path $name is read', async ({ body }) => {
  const bench = openBench()
  bench.fields['merchant_account'] = 'YOUR_MERCHANT_ACCOUNT'
  const items = body.notificationItems
  if (!items) {
    // a webhook of another kind, without notification items
    expect(await read(bench, { headers: {}, text: '', body: { ...body } })).toEqual([{ about: 'forged' }])
    return
  }
  const message = messageOf(...items.map((each) => signed({ ...each.NotificationRequestItem })))
  const subjects = await read(bench, message)
  expect(subjects.every(({ about }) => about !== 'forged')).toBe(true)
})

test('another orchestrator’s webhooks are read once they are signed', async () => {
  const bench = openBench()
  bench.fields['merchant_account'] = 'TestMerchant'
  for (const name of ['payment_succeeded', 'refund_succeeded'] as const) {
    const { body } = prism.payloads[name].grpc_req.request_details
    const [item] = body.notificationItems
    if (!item) throw new Error('no item')
    expect(await read(bench, messageOf({ ...item.NotificationRequestItem }))).toEqual([{ about: 'forged' }])
    expect(await read(bench, messageOf(signed({ ...item.NotificationRequestItem })))).toEqual([])
  }
  const bad = prism.payloads.invalid_signature.grpc_req.request_details.body
  expect(await read(bench, { headers: {}, text: '', body: { ...bad } })).toEqual([{ about: 'forged' }])
})

/** What our operations conclude where the other orchestrator says one of these. */
const conclusions: Readonly<Record<string, string>> = {
  authorized: 'approved',
  charged: 'approved',
  voided: 'approved',
  success: 'approved',
  failure: 'refused',
}
/** Differences, each with its reason. */
const differences: Readonly<Record<string, string>> = {
  'CANCELLATION false': 'there the payment’s status; here the void, which is refused',
}

const kinds = {
  AUTHORISATION: 'authorize',
  AUTHORISATION_ADJUSTMENT: 'increment',
  CANCELLATION: 'void',
  CAPTURE: 'capture',
  REFUND: 'refund',
} as const
const agreed = (['webhook payment', 'webhook refund'] as const).flatMap((group) =>
  Object.entries(statuses[group]).flatMap(([event, results]) =>
    typeof results === 'string' || !(event in kinds)
      ? []
      : Object.entries(results).map(([success, meaning]) => ({ event, success, meaning: `${meaning}` })),
  ),
)

test.each(agreed)('$event with success $success means $meaning', async ({ event, success, meaning }) => {
  const bench = openBench()
  const operation = {
    id: bench.nextId(),
    kind: kinds[event as keyof typeof kinds],
    paymentReference: 'PAYMENT',
    identifiers: { payment_service_authorized_amount: '0' },
  }
  await bench.deliver([
    signedWebhook(
      {
        eventCode: event,
        success: success === 'true',
        pspReference: event === 'AUTHORISATION' ? 'PAYMENT' : 'MODIFICATION',
        ...(event !== 'AUTHORISATION' && { originalReference: 'PAYMENT' }),
        merchantReference: operation.id,
        amount: { value: 10_00, currency: 'EUR' },
      },
      { merchant: MERCHANT, key: HMAC_KEY, now: bench.fake.now() },
    ),
  ])
  const finding = await bench.find(operation)
  if (finding.status !== 'found') throw new Error('it is not found')
  const ours = finding.outcome.status === 'approved' ? 'approved' : 'refused'
  const expected = differences[`${event} ${success}`] === undefined ? conclusions[meaning] : 'refused'
  expect(ours).toBe(expected)
})

const opened = ['opened', 'won', 'lost'] as const
test.each(Object.entries(statuses['webhook dispute']))(
  '%s is a dispute that is %s there',
  async (event, meaning) => {
    const bench = openBench()
    const [subject] = await read(
      bench,
      signedWebhook(
        {
          eventCode: event,
          success: true,
          pspReference: 'DISPUTE',
          originalReference: 'PAYMENT',
          merchantReference: 'anything',
          amount: { value: 10_00, currency: 'EUR' },
          reason: 'Fraud',
          additionalData: {
            chargebackReasonCode: ' 4853',
            defensePeriodEndsAt: '2026-12-01T03:03:07+02:00',
            defendable: 'true',
          },
        },
        { merchant: MERCHANT, key: HMAC_KEY, now: bench.fake.now() },
      ),
    )
    if (subject?.about !== 'dispute') throw new Error('no dispute')
    const { dispute } = subject
    expect(dispute).toMatchObject({ id: 'DISPUTE', payment: 'PAYMENT', amount: 10_00, reasonCode: '4853' })
    // a reversed chargeback may come back from the issuer, so that it is not won yet
    const ours =
      event === 'CHARGEBACK_REVERSED'
        ? 'under_review'
        : { opened: 'needs_response', won: 'won', lost: 'lost' }[meaning]
    expect(dispute.status).toBe(ours)
    expect(opened).toContain(meaning)
    expect(dispute.evidenceDueAt).toBe(ours === 'needs_response' ? '2026-12-01T01:03:07.000Z' : null)
  },
)
