import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { WEBHOOK_KEY } from './fake.ts'
import { type Bench, openBench } from './harness.ts'

const read = (bench: Bench, text: string, signature: string) =>
  bench.connector.readNotification?.(bench.call({}), {
    headers: { 'cko-signature': signature },
    text,
    body: JSON.parse(text),
  })

const signed = (text: string, key = WEBHOOK_KEY) => createHmac('sha256', key).update(text).digest('hex')

/** A signature that was computed elsewhere. */
const vector = {
  key: 'k3y',
  text: '{"id":"evt_az5sblvku4ge3dwpztvyizgcau","type":"payment_captured","data":{"id":"pay_fj3xswqe3emuxckocjx6td73ni"}}',
  signature: '7ccd0a765abaea24e2da12223c3207b120e9c3a457123bcff2ffb630ed6e8315',
}

test('the published signature is accepted', async () => {
  const bench = openBench()
  bench.fields['webhook_key'] = vector.key
  expect(await read(bench, vector.text, vector.signature)).toEqual([
    { about: 'payment', payment: 'pay_fj3xswqe3emuxckocjx6td73ni' },
  ])
})

test('any changed byte of the body or the signature is a forgery', async () => {
  const bench = openBench()
  bench.fields['webhook_key'] = vector.key
  for (const [index, character] of [...vector.text].entries()) {
    if (!/[a-z0-9]/.test(character)) continue
    const changed = `${vector.text.slice(0, index)}${character === 'a' ? 'b' : 'a'}${vector.text.slice(index + 1)}`
    const message = { headers: { 'cko-signature': vector.signature }, text: changed, body: {} }
    expect(await bench.connector.readNotification?.(bench.call({}), message)).toEqual({ about: 'forged' })
  }
  expect(await read(bench, vector.text, vector.signature.replace('7', '8'))).toEqual({ about: 'forged' })
  expect(await read(bench, vector.text, '')).toEqual({ about: 'forged' })
})

test('without a key nothing is believed', async () => {
  const bench = openBench()
  delete bench.fields['webhook_key']
  expect(await read(bench, vector.text, vector.signature)).toEqual({ about: 'nothing' })
})

test('other events are about nothing', async () => {
  const bench = openBench()
  for (const text of ['{"id":"evt_1","type":"vault_card_updated","data":{}}', '{"hello":1}'])
    expect(await read(bench, text, signed(text))).toEqual({ about: 'nothing' })
})

const disputed = {
  id: 'dsp_5mmi3jqbyhiephhecmszq6khpi',
  payment_id: 'pay_fj3xswqe3emuxckocjx6td73ni',
  amount: 10_00,
  currency: 'EUR',
  reason_code: '10.4',
  category: 'fraudulent',
  evidence_required_by: '2026-12-10T00:00:00Z',
}

test.each([
  ['dispute_received', 'needs_response', 'withdrawn'],
  ['dispute_evidence_required', 'needs_response', 'withdrawn'],
  ['dispute_evidence_submitted', 'under_review', null],
  ['dispute_accepted', 'accepted', null],
  ['dispute_canceled', 'closed', 'returned'],
  ['dispute_expired', 'lost', null],
  ['dispute_resolved', 'closed', 'returned'],
  ['dispute_won', 'won', 'returned'],
  ['dispute_lost', 'lost', null],
  ['dispute_arbitration_won', 'won', 'returned'],
  ['dispute_arbitration_lost', 'lost', 'withdrawn'],
])('%s tells of a dispute', async (type, status, funds) => {
  const text = JSON.stringify({ id: 'evt_1', type, created_on: '2026-11-24T10:00:00Z', data: disputed })
  expect(await read(openBench(), text, signed(text))).toEqual({
    about: 'dispute',
    dispute: {
      id: disputed.id,
      payment: disputed.payment_id,
      status,
      amount: 10_00,
      currency: 'EUR',
      funds,
      reasonCode: '10.4',
      reason: 'fraudulent',
      evidenceDueAt: status === 'needs_response' ? '2026-12-10T00:00:00.000Z' : null,
      occurredAt: '2026-11-24T10:00:00.000Z',
    },
  })
})

test.each([
  ['the event', { timestamp: '2022-12-15T15:20:32.582+00:00' }, {}],
  ['the dispute', {}, { date: '2022-12-15T15:20:32.5820702+00:00' }],
  [
    'the event before the dispute',
    { timestamp: '2022-12-15T15:20:32.582Z' },
    { date: '2022-12-15T15:20:31Z' },
  ],
])('a dispute without created_on happened at the time of %s', async (_whose, ofEvent, ofDispute) => {
  const text = JSON.stringify({
    id: 'evt_b6anegml5j6u7kwzuzdg6r4sem',
    type: 'dispute_evidence_required',
    ...ofEvent,
    data: { ...disputed, ...ofDispute },
  })
  expect(await read(openBench(), text, signed(text))).toMatchObject({
    about: 'dispute',
    dispute: { id: disputed.id, occurredAt: '2022-12-15T15:20:32.582Z' },
  })
})

test('a registration creates a workflow, and replaces the one before', async () => {
  const bench = openBench()
  const first = await bench.connector.registerNotifications?.(bench.call({}))
  const second = await bench.connector.registerNotifications?.(bench.call({}))
  expect(first).toMatchObject({
    status: 'registered',
    fields: { webhook_key: expect.stringMatching(/^\w{64}$/) },
  })
  expect(second).not.toEqual(first)
  expect([...bench.fake.workflows.values()]).toMatchObject([
    {
      active: true,
      actions: [
        {
          type: 'webhook',
          url: 'https://railyard.test/notifications/shop/service/token',
          signature: {
            method: 'HMACSHA256',
            key: second?.status === 'registered' ? second.fields['webhook_key'] : '',
          },
        },
      ],
    },
  ])
})

test.each([
  [{ lost: true, sent: true, reason: 'no answer in time' } as const, 'unknown'],
  [{ lost: false, status: 403, headers: {}, body: {} } as const, 'refused'],
  [{ lost: false, status: 502, headers: {}, body: {} } as const, 'unknown'],
])('a registration that gets %o is %s', async (fault, status) => {
  const bench = openBench()
  bench.faults.push(undefined, fault)
  expect(await bench.connector.registerNotifications?.(bench.call({}))).toMatchObject({ status })
})

test.each([
  [undefined, 'accepted'],
  [{ lost: false, status: 401, headers: {}, body: {} } as const, 'refused'],
  [{ lost: false, status: 502, headers: {}, body: {} } as const, 'no answer'],
  [{ lost: true, sent: false, reason: 'ECONNREFUSED' } as const, 'no answer'],
])('credentials: %o is %s', async (fault, check) => {
  const bench = openBench()
  bench.faults.push(fault)
  expect(await bench.connector.verifyCredentials(bench.call({}))).toBe(check)
})
