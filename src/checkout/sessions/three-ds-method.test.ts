import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { openSecureShop } from '../../../test/support/domains/secure-shop.ts'
import { card, startTestRailyard } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'

type Message = Record<string, unknown>

/** The method URL that the 3DS server answers; undefined: the card's range has none. */
let methodUrl: string | undefined = 'https://acs.example/method?range=4'
/** What the 3DS server got to authenticate. */
const asked: Message[] = []

const threeDSServer = createServer(async (request, response) => {
  const message = (await json(request)) as Message
  const isVersioning = request.url === '/3dss/versioning'
  if (!isVersioning) asked.push(message)
  const { messageVersion, threeDSServerTransID } = message
  const answer = isVersioning
    ? { protocolVersions: ['2.2.0'], ...(methodUrl !== undefined && { threeDSMethodURL: methodUrl }) }
    : {
        messageType: 'ARes',
        messageVersion,
        threeDSServerTransID,
        dsTransID: '5b8e5a0e-5f1c-4d0e-8a7e-111111111111',
        acsTransID: '5b8e5a0e-5f1c-4d0e-8a7e-222222222222',
        transStatus: 'Y',
        authenticationValue: Buffer.alloc(20, 7).toString('base64'),
        eci: '05',
      }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})
threeDSServer.listen(0, '127.0.0.1')
await once(threeDSServer, 'listening')
afterAll(() => threeDSServer.close())

const railyard = await startTestRailyard({
  THREE_DS_SERVER_URL: `http://127.0.0.1:${(threeDSServer.address() as AddressInfo).port}`,
})
const shop = await openSecureShop(railyard)

/** A session in which a buyer has entered a card. */
async function entered(of = shop, more: object = {}): Promise<string> {
  const id = (await of.post('/checkout/sessions', more)).body.id
  await enter(id)
  return id
}
const enter = async (id: string, number = card.number) =>
  expect(
    (
      await railyard.send('PUT', `/checkout/sessions/${id}/fields`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ payment_method: { ...card, number } }),
      })
    ).status,
  ).toBe(204)
const begin = async (session: string) =>
  (await railyard.send('POST', `/checkout/sessions/${session}/three-ds-method`)).body.method
const pay = async (session: string, amount = 12_99) => {
  const payment_method = {
    method: 'checkout-session',
    id: session,
    redirect_url: 'https://shop.example/done',
  }
  expect(
    await shop.post('/transactions', { amount, currency: 'EUR', country: 'DE', payment_method }),
  ).toMatchObject({
    body: { status: 'authorization_succeeded' },
  })
  return asked.splice(0)
}
const dataOf = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())
/** The issuer's page posts its end. */
const tellEnd = (url: string, data: unknown) =>
  fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ threeDSMethodData: Buffer.from(JSON.stringify(data)).toString('base64url') }),
  })

describe('the 3DS method of a card in a checkout session', () => {
  test('is begun with the issuer’s URL, and the payment is authenticated under its transaction id', async () => {
    const session = await entered()
    const method = await begin(session)
    const { threeDSServerTransID: id, threeDSMethodNotificationURL: url } = dataOf(method.method_data)
    expect(method).toEqual({
      method_url: 'https://acs.example/method?range=4',
      method_data: expect.any(String),
      three_ds_server_transaction_id: id,
    })
    // the session's id is a credential
    expect(url).not.toContain(session)
    const end = await tellEnd(url, { threeDSServerTransID: id })
    expect(end.status).toBe(200)
    expect(await pay(session)).toMatchObject([{ threeDSServerTransID: id, threeDSCompInd: 'Y' }])
  })

  test('that has not told its end is N, and one of another transaction does not count', async () => {
    const session = await entered()
    const { method_data, three_ds_server_transaction_id: id } = await begin(session)
    const { threeDSMethodNotificationURL: url } = dataOf(method_data)
    for (const threeDSServerTransID of [crypto.randomUUID(), 'x', null, [id], "' or true"])
      expect((await tellEnd(url, { threeDSServerTransID })).status).toBe(200)
    expect(
      (await fetch(url, { method: 'POST', body: 'threeDSMethodData=e30&threeDSMethodData' })).status,
    ).toBe(200)
    expect(await pay(session)).toMatchObject([{ threeDSServerTransID: id, threeDSCompInd: 'N' }])
  })

  test('that was never begun is N, and U where the card’s range has none', async () => {
    expect(await pay(await entered())).toMatchObject([{ threeDSCompInd: 'N' }])
    const url = methodUrl
    methodUrl = undefined
    const session = await entered()
    expect(await begin(session)).toBeNull()
    expect(await pay(session)).toMatchObject([{ threeDSCompInd: 'U' }])
    methodUrl = url
  })

  test('is of one payment: the next of the session has an authentication of its own', async () => {
    const session = await entered()
    const { three_ds_server_transaction_id: id } = await begin(session)
    const [first] = await pay(session, 1_00)
    const [second] = await pay(session, 99_00)
    expect(first).toMatchObject({ threeDSServerTransID: id })
    expect(second).toMatchObject({ purchaseAmount: '9900', threeDSCompInd: 'N' })
    expect(second?.['threeDSServerTransID']).not.toBe(id)
  })

  test('is forgotten when another card is entered', async () => {
    const session = await entered()
    const { three_ds_server_transaction_id: id, method_data } = await begin(session)
    await tellEnd(dataOf(method_data).threeDSMethodNotificationURL, { threeDSServerTransID: id })
    await enter(session, '5555555555554444')
    const [message] = await pay(session)
    expect(message).toMatchObject({ threeDSCompInd: 'N' })
    expect(message?.['threeDSServerTransID']).not.toBe(id)
  })

  test.each([
    'http://acs.example/method',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'https://user:password@acs.example/method',
    "https://acs.example;script-src 'unsafe-inline'/method",
    'https://*/method',
    'not a url',
    'https://',
  ])('is not run at %s', async (hostile) => {
    const url = methodUrl
    methodUrl = hostile
    expect(await begin(await entered())).toBeNull()
    methodUrl = url
  })

  test('is not run at a page of Railyard’s own', async () => {
    const url = methodUrl
    for (const own of ['/', '/elements/method', '/sandbox/providers/3ds/acs/../../../../docs']) {
      methodUrl = `${railyard.url}${own}`
      expect(await begin(await entered())).toBeNull()
    }
    methodUrl = url
  })

  test('is not asked about for a payment that no payment service wants authenticated, or without a card', async () => {
    expect(await begin(await entered(await openShop(railyard)))).toBeNull()
    expect(await begin((await shop.post('/checkout/sessions', {})).body.id)).toBeNull()
    expect(
      (await railyard.send('POST', `/checkout/sessions/${crypto.randomUUID()}/three-ds-method`)).status,
    ).toBe(404)
  })
})

test('the hidden frame may post to the issuer’s origin alone, and only an allowed page and the checkout can show it', async () => {
  const session = await entered()
  const { three_ds_server_transaction_id: id } = await begin(session)
  const open = (query: Record<string, string>) =>
    fetch(
      `${railyard.url}/elements/method?${new URLSearchParams({ session, id, parent: 'http://localhost:3000', ...query })}`,
    )
  const policy = (await open({})).headers.get('content-security-policy')
  expect(policy).toContain('form-action https://acs.example;')
  expect(policy).toContain(`frame-src https://acs.example ${railyard.url}/elements/method-notifications/;`)
  expect(policy).toContain("frame-ancestors 'self' http://localhost:3000;")
  expect((await open({ id: crypto.randomUUID() })).status).toBe(404)
  expect((await open({ parent: 'https://evil.example' })).status).toBe(404)
})
