import { expect, test } from 'vitest'
import { purchase } from '../../support/domains/connector-call.ts'
import { type Bench, openBench } from './harness.ts'

const challenged = { additionalData: { 'test.challenge': 'true' } }
const browser = {
  javascript_enabled: true,
  java_enabled: false,
  language: 'en-US',
  color_depth: 24,
  screen_height: 900,
  screen_width: 1440,
  time_zone_offset: -480,
  user_agent: 'Mozilla/5.0',
  accept_header: null,
  ip_address: '203.0.113.7',
}

async function redirected(bench: Bench) {
  const operation = { id: bench.nextId(), kind: 'authorize' as const }
  const outcome = await bench.run('authorize', operation, { options: challenged })
  if (outcome.status !== 'pending' || !outcome.approval?.url) throw new Error('no challenge')
  return { operation, outcome, url: outcome.approval.url }
}

const complete = (bench: Bench, operation: object, returned: Record<string, unknown>) => {
  const { completeApproval } = bench.connector
  if (!completeApproval) throw new Error('it completes nothing')
  return completeApproval(bench.call(operation, { options: challenged }), returned)
}

test('a cardholder who is sent to the issuer and approves has paid', async () => {
  const bench = openBench()
  const { operation, outcome, url } = await redirected(bench)
  expect(outcome).toMatchObject({ references: { transaction: operation.id } })
  expect(bench.fake.effects()).toEqual([])
  expect(await bench.find(operation)).toEqual({ status: 'unsure' })
  const returned = bench.fake.visit?.(url, 'approve') ?? {}
  expect(await complete(bench, operation, returned)).toMatchObject({ status: 'approved', amount: 10_00 })
  // a reload of the page sends the same result, which has the same answer
  expect(await complete(bench, operation, returned)).toMatchObject({ status: 'approved' })
  expect(bench.fake.effects()).toHaveLength(1)
})

test('a cardholder who fails the challenge has not paid', async () => {
  const bench = openBench()
  const { operation, url } = await redirected(bench)
  expect(await complete(bench, operation, bench.fake.visit?.(url, 'decline') ?? {})).toMatchObject({
    status: 'failed',
    code: 'requires_buyer_authentication',
  })
  expect(bench.fake.effects()).toEqual([])
})

test('a made-up result decides nothing', async () => {
  const bench = openBench()
  const { operation, url } = await redirected(bench)
  for (const returned of [{}, { redirectResult: 'other:approve' }, { details: null }, { threeDSResult: 7 }])
    expect(await complete(bench, operation, returned)).toMatchObject({ status: 'pending' })
  expect(await complete(bench, operation, bench.fake.visit?.(url, 'approve') ?? {})).toMatchObject({
    status: 'approved',
  })
})

test('the result of another payment does not pay, even if the answer does not name that payment', async () => {
  const bench = openBench()
  const [cheap, dear] = [await redirected(bench), await redirected(bench)]
  const receive = bench.fake.receive.bind(bench.fake)
  bench.fake.receive = (request) => {
    const answer = receive(request)
    if (request.url.endsWith('/payments/details'))
      Object.assign(answer.body ?? {}, { merchantReference: null })
    return answer
  }
  const returned = bench.fake.visit?.(cheap.url, 'approve') ?? {}
  expect(await complete(bench, dear.operation, returned)).toMatchObject({
    status: 'pending',
    references: { transaction: dear.operation.id },
  })
  await bench.deliver()
  expect(await bench.find(cheap.operation)).toMatchObject({ outcome: { status: 'approved' } })
  expect(await bench.find(dear.operation)).toEqual({ status: 'unsure' })
})

test('a lost answer to the result is found by its webhook', async () => {
  const bench = openBench()
  const { operation, url } = await redirected(bench)
  bench.faults.push('lost after')
  expect(await complete(bench, operation, bench.fake.visit?.(url, 'approve') ?? {})).toMatchObject({
    status: 'unknown',
  })
  await bench.deliver()
  expect(await bench.close(operation)).toMatchObject({ outcome: { status: 'approved', amount: 10_00 } })
  expect(bench.fake.requests.filter(({ path }) => path === '/cancels')).toEqual([])
})

test('native 3-D Secure runs in the merchant’s page, in two steps', async () => {
  const bench = openBench()
  const operation = { id: bench.nextId() }
  const outcome = await bench.run('authorize', operation, {
    options: { ...challenged, window_origin: 'https://shop.example' },
    purchase: async () => purchase({ browser }),
  })
  expect(bench.fake.requests.at(-1)?.body).toMatchObject({
    authenticationData: { threeDSRequestData: { nativeThreeDS: 'preferred' } },
    origin: 'https://shop.example',
    channel: 'Web',
    browserInfo: { acceptHeader: '*/*', timeZoneOffset: -480 },
    shopperIP: '203.0.113.7',
  })
  expect(outcome).toMatchObject({
    status: 'pending',
    approval: { url: null, sessionData: { action: { type: 'threeDS2', subtype: 'fingerprint' } } },
  })
  const psp = 'NC6HT9CRT65ZG001'
  const second = await complete(bench, operation, {
    details: { threeDSResult: `${psp}:more` },
    paymentData: 'data',
  })
  expect(second).toMatchObject({ approval: { sessionData: { action: { subtype: 'challenge' } } } })
  expect(await complete(bench, operation, { threeDSResult: `${psp}:approve` })).toMatchObject({
    status: 'approved',
  })
})

test('a challenge that is passed while the payment is being closed does not continue it', async () => {
  const bench = openBench()
  const { operation, url } = await redirected(bench)
  const returned = bench.fake.visit?.(url, 'approve') ?? {}
  expect(await bench.close(operation)).toEqual({ status: 'unsure' })
  const requests = bench.fake.requests.length
  expect(await complete(bench, operation, returned)).toMatchObject({ status: 'pending' })
  expect(bench.fake.requests).toHaveLength(requests)
})

test('without a page to come back to, a demanded challenge is a decline', async () => {
  const bench = openBench()
  expect(await bench.run('authorize', {}, { options: challenged, canChallenge: false })).toMatchObject({
    status: 'failed',
    code: 'requires_buyer_authentication',
  })
  expect(bench.fake.requests.at(-1)?.body).toMatchObject({
    authenticationData: { attemptAuthentication: 'never' },
  })
})

test('the proof of an authentication elsewhere is sent, and no other one is asked for', async () => {
  const bench = openBench()
  const authentication = {
    version: '2.2.0',
    directory_response: 'Y',
    authentication_response: null,
    directory_transaction_id: '6a5e9a34-9d3c-4f5e-8f3a-0d7b8f0f2c11',
    cavv: 'YwAAAAAABaYcCMX/OhNRQAAAAAA=',
    eci: '05',
    cavv_algorithm: null,
    transaction_reason: null,
    cardholder_info: null,
  }
  expect(await bench.run('authorize', {}, { options: challenged, authentication })).toMatchObject({
    status: 'approved',
  })
  const body = bench.fake.requests.at(-1)?.body
  expect(body?.['mpiData']).toEqual({
    cavv: 'YwAAAAAABaYcCMX/OhNRQAAAAAA=',
    eci: '05',
    dsTransID: '6a5e9a34-9d3c-4f5e-8f3a-0d7b8f0f2c11',
    directoryResponse: 'Y',
    authenticationResponse: 'Y',
    threeDSVersion: '2.2.0',
  })
  expect(body).not.toHaveProperty('authenticationData')
})

test('the proof of a 3-D Secure 1 authentication is sent with its XID', async () => {
  const bench = openBench()
  const authentication = {
    version: '1.0.2',
    directory_response: 'Y',
    authentication_response: 'Y',
    directory_transaction_id: 'MDk0MTIzOTQyMTMwMDQ0NDQ0NDQ=',
    cavv: 'AAABBllleAAAAAAAAAAAAAAAAAA=',
    eci: '05',
    cavv_algorithm: '2',
    transaction_reason: null,
    cardholder_info: null,
  }
  expect(await bench.run('authorize', {}, { authentication })).toMatchObject({ status: 'approved' })
  const proof = bench.fake.requests.at(-1)?.body['mpiData']
  expect(proof).toMatchObject({ xid: 'MDk0MTIzOTQyMTMwMDQ0NDQ0NDQ=', threeDSVersion: '1.0.2' })
  expect(proof).not.toHaveProperty('dsTransID')
})

test('a payment that waits for its cardholder is cancelled by our reference', async () => {
  const bench = openBench()
  const { operation, outcome } = await redirected(bench)
  const references = {
    paymentReference: outcome.references.transaction ?? null,
    identifiers: outcome.references.identifiers ?? {},
  }
  const cancel = { ...references, id: bench.nextId(), kind: 'cancel' as const }
  expect(await bench.run('cancel', cancel)).toMatchObject({ status: 'pending' })
  expect(bench.fake.requests.at(-1)).toMatchObject({
    path: '/cancels',
    body: { paymentReference: operation.id, reference: cancel.id },
  })
  await bench.deliver()
  // an authorization may still be on its way
  expect(await bench.find({ ...cancel, sentBefore: true })).toEqual({ status: 'absent' })
  bench.fake.advance(16 * 60_000)
  expect(await bench.find(cancel)).toMatchObject({ outcome: { status: 'approved' } })
  expect(await bench.find({ ...operation, ...references })).toMatchObject({
    outcome: { status: 'failed', code: 'canceled' },
  })
})
