import { expect, test } from 'vitest'
import { signedEvent } from './fake-books.ts'
import { type Bench, openBench, openPayment } from './harness.ts'

// the published vector of the provider's signatures
const vector = {
  secret: 's3cret',
  text: '{"resource":"event","id":"event_1","type":"payment.paid","entityId":"tr_1"}',
  value: 'sha256=72f5e911e15f0b4c549bcad4889d4c553e152ed45a8480d7f4693ca6d901fc72',
}

const message = (text: string, signature: string | string[]) => ({
  headers: { 'x-mollie-signature': signature },
  text,
  body: JSON.parse(text),
})

function signedBench(secret = vector.secret): Bench {
  const bench = openBench()
  bench.fields['webhook_secret'] = secret
  return bench
}

test('accepts the published signature', async () => {
  expect(await signedBench().read(message(vector.text, vector.value))).toEqual([
    { about: 'payment', payment: 'tr_1' },
  ])
})

test('refuses the signature after any byte of the body or of the signature has changed', async () => {
  const bench = signedBench()
  const forged = [{ about: 'forged' }]
  expect(await bench.read(message(vector.text.replace('tr_1', 'tr_2'), vector.value))).toEqual(forged)
  for (let at = 0; at < vector.value.length; at += 1) {
    const changed = `${vector.value.slice(0, at)}x${vector.value.slice(at + 1)}`
    expect(await bench.read(message(vector.text, changed))).toEqual(forged)
  }
  expect(await bench.read(message(vector.text, ''))).toEqual(forged)
  expect(await bench.read({ headers: {}, text: vector.text, body: JSON.parse(vector.text) })).toEqual(forged)
})

test('accepts an event that is signed under the old and the new secret', async () => {
  const event = { resource: 'event', type: 'payment.paid', entityId: 'tr_1' }
  const both = signedEvent(event, 'new', 'old')
  for (const secret of ['new', 'old'])
    expect(await signedBench(secret).read(both)).toEqual([{ about: 'payment', payment: 'tr_1' }])
  expect(await signedBench('other').read(both)).toEqual([{ about: 'forged' }])
})

test('says nothing of an event without a secret to verify it', async () => {
  expect(await openBench().read(message(vector.text, vector.value))).toEqual([{ about: 'nothing' }])
})

test('a classic webhook names a payment, whose books are read', async () => {
  const bench = openBench()
  const payment = await openPayment(bench, 'sale')
  const [webhook, ...others] = bench.fake.takeNotifications()
  expect(others).toEqual([])
  expect(webhook && (await bench.read(webhook))).toEqual([
    { about: 'payment', payment: payment.paymentReference },
  ])
  const parsed = { headers: {}, text: '', body: { id: payment.paymentReference } }
  expect(await bench.read(parsed)).toMatchObject([{ about: 'payment' }])
})

test.each(['id=', 'id=re_1', 'id=tr_1%2F..%2Frefunds', 'nothing'])(
  'a classic webhook with %s is ignored',
  async (text) => {
    expect(await openBench().read({ headers: {}, text, body: {} })).toEqual([{ about: 'nothing' }])
  },
)

test('a classic webhook whose payment cannot be read is refused, so that it comes again', async () => {
  const bench = openBench()
  await openPayment(bench, 'sale')
  const [webhook] = bench.fake.takeNotifications()
  bench.faults.push('lost before')
  await expect(webhook && bench.read(webhook)).rejects.toThrow('cannot be read')
})

const lost = { status: 'lost', funds: 'withdrawn', evidenceDueAt: null, reasonCode: 'AC01' }
const won = { status: 'won', funds: 'returned' }

test('a chargeback and its reversal arrive by classic webhooks', async () => {
  const bench = openBench()
  const { paymentReference } = await openPayment(bench, 'sale')
  const readNext = async () => {
    const [webhook] = bench.fake.takeNotifications()
    return webhook && bench.read(webhook)
  }
  await readNext()
  bench.fake.chargeBack(paymentReference ?? '')
  const amounts = { payment: paymentReference, amount: 10_00, currency: 'EUR' }
  expect(await readNext()).toMatchObject([
    { about: 'payment' },
    { about: 'dispute', dispute: { ...lost, ...amounts } },
  ])
  bench.fake.reverseChargeback(paymentReference ?? '')
  expect(await readNext()).toMatchObject([
    { about: 'payment' },
    { about: 'dispute', dispute: lost },
    { about: 'dispute', dispute: { ...won, ...amounts } },
  ])
})

test('a registered webhook sends signed events of payments, captures, refunds and chargebacks', async () => {
  const bench = openBench()
  const registered = await bench.connector.registerNotifications?.(bench.call({}))
  expect(registered).toMatchObject({ status: 'registered' })
  Object.assign(bench.fields, registered?.status === 'registered' && registered.fields)
  const payment = await openPayment(bench)
  const capture = { ...payment, id: bench.nextId(), kind: 'capture' as const }
  await bench.run('capture', capture)
  bench.fake.advance(60_000)
  await bench.run('refund', { ...payment, id: bench.nextId(), kind: 'refund' })
  bench.fake.advance(7_200_000)
  bench.fake.chargeBack(payment.paymentReference ?? '')
  const events = bench.fake.takeNotifications().filter(({ body }) => body['resource'] === 'event')
  const subjects = (await Promise.all(events.map((event) => bench.read(event)))).flat()
  const about = { about: 'payment', payment: payment.paymentReference }
  expect(subjects).toMatchObject([about, about, about, { about: 'dispute', dispute: lost }])
})

test('a repeated registration replaces the former one', async () => {
  const bench = openBench()
  const register = () => bench.connector.registerNotifications?.(bench.call({}))
  await register()
  const second = await register()
  expect([...bench.fake.books.webhooks.values()].map(({ secret }) => secret)).toEqual([
    second?.status === 'registered' && second.fields['webhook_secret'],
  ])
})

test('a registration is refused, or unknown', async () => {
  const bench = openBench()
  const register = () => bench.connector.registerNotifications?.(bench.call({}))
  const answered = (status: number) => ({ lost: false, status, headers: {}, body: {} }) as const
  bench.faults.push('lost after', answered(500), answered(429))
  for (let time = 0; time < 3; time += 1) expect(await register()).toMatchObject({ status: 'unknown' })
  bench.fields['api_key'] = 'test_other'
  expect(await register()).toEqual({ status: 'refused', reason: 'Missing authentication' })
})
