import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { ApiError } from '../../api/errors.ts'
import { gatewayMerchantId } from './google-pay.ts'
import { openWalletToken, type WalletTokenInput } from './wallet-token.ts'

let railyard: TestRailyard
let merchant: Client
beforeAll(async () => {
  railyard = await startTestRailyard()
  merchant = await railyard.merchant()
  await registerApple(merchant)
})
afterAll(() => railyard.close())

const registerApple = (client: Client) =>
  client.post('/digital-wallets', {
    provider: 'apple',
    merchant_name: 'Shop',
    merchant_url: 'https://shop.example',
    accept_terms_and_conditions: true,
  })

const sheet = { amount: 12_99, currency: 'EUR' }
const appleToken = async (more: Record<string, unknown> = {}, client = merchant) =>
  (await client.post('/sandbox/wallets/apple/token', { ...sheet, ...more })).body.token
const googleToken = async (more: Record<string, unknown> = {}, client = merchant) =>
  (await client.post('/sandbox/wallets/google/token', more)).body.token

const open = (input: Partial<WalletTokenInput> & { token: unknown }, account = merchant.account) =>
  openWalletToken(railyard.world, account, { method: 'applepay', ...sheet, ...input })

/** Why a token was refused: the member of the body and the message. */
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error) =>
      error instanceof ApiError
        ? error.details.map(({ pointer, message }) => `${pointer} ${message}`).join()
        : error,
  )

describe('a token of the sandbox’s devices', () => {
  test('of Apple is opened for its own account', async () => {
    expect(
      await open({ token: await appleToken({ number: '5555555555554444', expiration_date: '01/31' }) }),
    ).toMatchObject({
      number: '5555555555554444',
      expirationDate: '01/31',
      source: 'apple-pay',
      method: 'CRYPTOGRAM_3DS',
      eci: '07',
      approved: sheet,
    })
  })

  test('of Google is opened without a registered wallet', async () => {
    const other = await railyard.merchant()
    const opened = await open({ method: 'googlepay', token: await googleToken({}, other) }, other.account)
    expect(opened).toMatchObject({
      number: '4111111111111111',
      expirationDate: '12/35',
      source: 'google-pay',
      eci: '05',
    })
    const ofCard = await open(
      { method: 'googlepay', token: JSON.parse(await googleToken({ auth_method: 'PAN_ONLY' }, other)) },
      other.account,
    )
    expect(ofCard).toMatchObject({ method: 'PAN_ONLY', cryptogram: null })
  })

  test('is refused by another account', async () => {
    const other = await railyard.merchant()
    expect(await refusal(open({ token: await appleToken() }, other.account))).toMatch(
      /^\/payment_method\/method needs an Apple wallet/,
    )
    await registerApple(other)
    expect(await refusal(open({ token: await appleToken() }, other.account))).toBe(
      '/payment_method/token is encrypted for another merchant',
    )
    expect(await refusal(open({ method: 'googlepay', token: await googleToken() }, other.account))).toBe(
      '/payment_method/token is for another merchant',
    )
  })

  test('expires', async () => {
    const [apple, google] = [await appleToken(), await googleToken()]
    railyard.clock.advance(6 * 60_000)
    expect(await refusal(open({ token: apple }))).toBe('/payment_method/token has expired')
    expect(await refusal(open({ method: 'googlepay', token: google }))).toBe('accepted')
    railyard.clock.advance(86_400_000)
    expect(await refusal(open({ method: 'googlepay', token: google }))).toBe(
      '/payment_method/token is signed with a key that has expired',
    )
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['less than the buyer approved', { amount: 12_98 }, 'accepted'],
    [
      'more than the buyer approved',
      { amount: 13_00 },
      '/payment_method/token was approved for a smaller amount',
    ],
    ['another currency', { currency: 'USD' }, '/payment_method/token was approved in EUR'],
  ])('pays %s: %j → %s', async (_, payment, outcome) => {
    expect(await refusal(open({ token: await appleToken(), ...payment }))).toBe(outcome)
  })

  test('pays any amount if its sheet showed no total', async () => {
    expect(await refusal(open({ token: await appleToken({ amount: 0 }), amount: 99_99 }))).toBe('accepted')
  })

  test.each([
    ['/sandbox/wallets/apple/token', { ...sheet, number: '4111111111111112' }, '/number'],
    ['/sandbox/wallets/apple/token', { ...sheet, expiration_date: '13/35' }, '/expiration_date'],
    ['/sandbox/wallets/apple/token', { ...sheet, currency: 'XYZ' }, '/currency'],
    ['/sandbox/wallets/google/token', { number: '4111111111111112' }, '/number'],
  ])('a token from %s with %j is refused', async (path, body, pointer) => {
    expect(await merchant.post(path, body)).toMatchObject({ status: 400, body: { details: [{ pointer }] } })
  })
})

test('production refuses the tokens of sandbox devices', async () => {
  const { settings, ...rest } = railyard.world
  const production = { ...rest, settings: { ...settings, environment: 'production' as const } }
  const input = { method: 'applepay' as const, token: await appleToken(), ...sheet }
  expect(await refusal(openWalletToken(production, merchant.account, input))).toBe(
    '/payment_method/token is not signed by the wallet',
  )
})

test('production fetches Google’s keys once an hour, and accepts only them', async () => {
  const { settings, ...rest } = railyard.world
  let requests = 0
  const keyValue =
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/1+3HBVSbdv+j7NaArdgMyoSAM43yRydzqdg1TxodSzA96Dj4Mc1EiKroxxunavVIvdxGnJeFViTzFvzFRxyCw=='
  const keys = [{ keyValue, protocolVersion: 'ECv2', keyExpiration: '9999999999999' }]
  let reachable = false
  const http: typeof rest.http = {
    request: async () => {
      requests++
      return reachable
        ? { lost: false, status: 200, headers: {}, body: { keys } }
        : { lost: true, sent: false, reason: 'ECONNREFUSED' }
    },
    download: async () => 'no file',
    close: async () => undefined,
  }
  const production = { ...rest, http, settings: { ...settings, environment: 'production' as const } }
  const input = { method: 'googlepay' as const, token: await googleToken(), ...sheet }
  const outcome = () =>
    openWalletToken(production, merchant.account, input).catch((error: unknown) =>
      error instanceof ApiError ? error.status : error,
    )
  expect([await outcome(), requests]).toEqual([504, 1])
  reachable = true
  expect([await outcome(), await outcome(), requests]).toEqual([400, 400, 2])
  railyard.clock.advance(3_600_000)
  reachable = false
  expect([await outcome(), requests]).toEqual([400, 3])
  expect(gatewayMerchantId(production, 'shop')).toBe('app.svc.production.railyard.shop')
})

test('no card number is logged', async () => {
  await appleToken({ number: '4000056655665556' })
  await merchant.post('/sandbox/wallets/google/token', { number: '4000056655665556' })
  expect(railyard.logged.join()).not.toContain('4000056655665556')
})
