import { randomUUID, X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { generate } from 'selfsigned'
import { describe, expect, test } from 'vitest'
import { appleWallet } from '../../../test/support/domains/digital-wallets.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { isApplePayUrl, requestApplePaySession } from './apple-pay-session.ts'

const railyard = await startRailyardForFile()
const merchant = await railyard.merchant()

const apple = {
  validation_url: 'https://apple-pay-gateway.apple.com/paymentservices/startSession',
  domain_name: 'shop.example',
}

test('a Google Pay session needs no wallet, and any domain may have one', async () => {
  const { status, body } = await merchant.post('/digital-wallets/google/session', {
    origin_domain: 'anything.example',
  })
  const merchantId = `app.svc.sandbox.railyard.${merchant.account}`
  expect({ status, body }).toEqual({
    status: 200,
    body: { gateway_merchant_id: merchantId, token: expect.any(String) },
  })
  expect(decodeProtectedHeader(body.token)).toEqual({ alg: 'ES256', typ: 'JWT' })
  expect(decodeJwt(body.token)).toMatchObject({ merchantId, merchantOrigin: 'anything.example' })
})

test('an Apple Pay session needs a registered wallet and one of its domains', async () => {
  expect(await merchant.post('/digital-wallets/apple/session', apple)).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
  await merchant.post('/digital-wallets', appleWallet)
  const session = await merchant.post('/digital-wallets/apple/session', {
    ...apple,
    domain_name: 'Shop.example',
  })
  expect(session).toMatchObject({
    status: 200,
    body: { domainName: 'shop.example', displayName: 'Shop', signature: expect.any(String) },
  })
  expect(
    await merchant.post('/digital-wallets/apple/session', { ...apple, domain_name: 'other.example' }),
  ).toMatchObject(invalidFields('/domain_name'))
  expect(
    await merchant.post('/digital-wallets/apple/session', {
      ...apple,
      validation_url: 'https://apple.com.example/x',
    }),
  ).toMatchObject(invalidFields('/validation_url'))
})

test('a Click to Pay session needs a registered wallet and a checkout session that has not expired', async () => {
  const { id } = (await merchant.post('/checkout/sessions', {})).body
  const requestSession = (checkout_session_id: string) =>
    railyard.send('POST', '/digital-wallets/click-to-pay/session', {
      body: JSON.stringify({ checkout_session_id }),
      headers: { 'content-type': 'application/json' },
    })
  expect(await requestSession(id)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  const wallet = {
    provider: 'click-to-pay',
    merchant_name: 'Shop',
    merchant_url: 'https://shop.example',
    accept_terms_and_conditions: true,
  }
  const { body } = await merchant.post('/digital-wallets', wallet)
  expect(await requestSession(id)).toMatchObject({
    status: 200,
    body: { digital_payment_application_id: body.id, digital_payment_application_name: 'Shop' },
  })
  await merchant.put(`/digital-wallets/${body.id}`, {
    extra_configuration: { digital_payment_application_id: 'dpa-1' },
  })
  expect((await requestSession(id)).body.digital_payment_application_id).toBe('dpa-1')
  expect(await requestSession(randomUUID())).toMatchObject({ status: 404 })
  await merchant.delete(`/checkout/sessions/${id}`)
  expect(await requestSession(id)).toMatchObject({ status: 404 })
})

test('a browser’s token may create Google Pay and Apple Pay sessions', async () => {
  const browser = await railyard.client({
    account: merchant.account,
    scopes: ['embed'],
    embed: { amount: 1_00, currency: 'EUR' },
  })
  expect(
    (await browser.post('/digital-wallets/google/session', { origin_domain: 'shop.example' })).status,
  ).toBe(200)
  expect((await browser.post('/digital-wallets/apple/session', apple)).status).toBe(200)
})

test.each([
  ['https://apple-pay-gateway.apple.com/paymentservices/startSession', true],
  ['https://cn-apple-pay-gateway-sh-pod1.apple.com/x', true],
  ['http://apple-pay-gateway.apple.com/x', false],
  ['https://apple-pay-gateway.apple.com:8443/x', false],
  ['https://user@apple-pay-gateway.apple.com/x', false],
  ['https://apple.com@evil.example/x', false],
  ['https://evilapple.com/x', false],
  ['https://apple.com.evil.example/x', false],
  ['https://127.0.0.1/apple.com', false],
  ['apple.com', false],
])('the merchant’s certificate is sent to %s: %s', (url, shown) => {
  expect(isApplePayUrl(url)).toBe(shown)
})

describe('in production', () => {
  const body = {
    merchantIdentifier: 'merchant.example',
    displayName: 'Shop',
    initiative: 'web',
    initiativeContext: 'shop.example',
  } as const
  const requestSession = async (answer: { status: number; body: string }) => {
    const server = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    })
    const client = await generate([{ name: 'commonName', value: 'merchant' }])
    const received: { subject?: string; body?: unknown } = {}
    const apple = createServer(
      { cert: server.cert, key: server.private, ca: client.cert, requestCert: true },
      async (request, response) => {
        const { socket } = request
        if (socket instanceof TLSSocket) received.subject = String(socket.getPeerCertificate().subject.CN)
        received.body = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString())
        response.writeHead(answer.status).end(answer.body)
      },
    )
    await new Promise<void>((resolve) => apple.listen(0, '127.0.0.1', resolve))
    const { port } = apple.address() as AddressInfo
    const identity = { certificate: new X509Certificate(client.cert), key: client.private }
    const session = await requestApplePaySession(
      `https://127.0.0.1:${port}/startSession`,
      identity,
      body,
      2_000,
      server.cert,
    ).finally(() => apple.close())
    return { session, received }
  }

  test('Apple gets the merchant’s certificate, and its session is passed on', async () => {
    const { session, received } = await requestSession({ status: 200, body: '{"nonce":"1"}' })
    expect(session).toEqual({ nonce: '1' })
    expect(received).toEqual({ subject: 'merchant', body })
  })

  test.each([
    { status: 403, body: '{}' },
    { status: 200, body: 'no JSON' },
  ])('a refusal by Apple is a 400: %j', async (answer) => {
    await expect(requestSession(answer)).rejects.toMatchObject({ status: 400, code: 'bad_request' })
  })
})
