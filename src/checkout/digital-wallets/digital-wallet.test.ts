import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../test/support/railyard.ts'
import { invalidFields } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { ApiError } from '../../api/errors.ts'
import { insertDigitalWallet, updateDigitalWallet } from './digital-wallet.store.ts'

let merchant: Client
const railyard = await startRailyardForFile()

const open = async () => {
  merchant = await railyard.merchant()
}
const apple = {
  provider: 'apple',
  merchant_name: 'Shop',
  merchant_url: 'https://shop.example',
  accept_terms_and_conditions: true,
}
const register = (more: Record<string, unknown> = {}) =>
  merchant.post('/digital-wallets', { ...apple, ...more })

describe('a wallet', () => {
  beforeAll(open)

  test('is registered, read, changed, listed and deleted', async () => {
    const created = await register({
      merchant_display_name: 'The shop',
      merchant_country_code: 'GB',
      address: { line1: '1 Street', city: 'London', state_code: 'GB-LND', postal_code: 'N1' },
      domain_names: ['Shop.example', 'shop.example', 'pay.shop.example'],
    })
    expect(created).toMatchObject({
      status: 201,
      body: {
        type: 'digital-wallet',
        merchant_account_id: merchant.account,
        provider: 'apple',
        merchant_name: 'Shop',
        merchant_display_name: 'The shop',
        merchant_category_code: null,
        address: { line1: '1 Street', city: 'London' },
        extra_configuration: null,
        domain_names: ['shop.example', 'pay.shop.example'],
        active_certificate_count: 0,
        pending_certificate_count: 0,
        expired_certificate_count: 0,
        fields: null,
      },
    })
    const path = `/digital-wallets/${created.body.id}`
    expect((await merchant.get(path)).body).toEqual(created.body)
    const changed = await merchant.put(path, {
      merchant_display_name: null,
      merchant_name: null,
      domain_names: ['new.example'],
      merchant_category_code: '5999',
    })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        merchant_name: 'Shop',
        merchant_display_name: null,
        merchant_url: 'https://shop.example',
        domain_names: ['new.example'],
        merchant_category_code: '5999',
        merchant_country_code: 'GB',
      },
    })
    expect((await merchant.get('/digital-wallets')).body).toEqual({ items: [changed.body] })
    expect((await merchant.delete(path)).status).toBe(204)
    expect((await merchant.get(path)).status).toBe(404)
    expect((await merchant.delete(path)).status).toBe(404)
    expect((await merchant.get('/digital-wallets')).body).toEqual({ items: [] })
  })

  test.each<[Record<string, unknown>, string]>([
    [{ accept_terms_and_conditions: false }, '/accept_terms_and_conditions'],
    [{ merchant_url: null }, '/merchant_url'],
    [{ provider: 'click-to-pay', merchant_url: undefined }, '/merchant_url'],
    [{ merchant_url: 'shop' }, '/merchant_url'],
    [{ merchant_country_code: 'XX' }, '/merchant_country_code'],
    [{ domain_names: ['shop.example', 'https://shop.example'] }, '/domain_names/1'],
    [{ domain_names: ['127.0.0.1'] }, '/domain_names/0'],
  ])('is refused with %j', async (more, pointer) => {
    expect(await register(more)).toMatchObject(invalidFields(pointer))
  })

  test('is not changed by an update that breaks a rule', async () => {
    const { body } = await register()
    expect(await merchant.put(`/digital-wallets/${body.id}`, { merchant_url: null })).toMatchObject(
      invalidFields('/merchant_url'),
    )
    expect(await merchant.put(`/digital-wallets/${body.id}`, { domain_names: ['a b'] })).toMatchObject(
      invalidFields('/domain_names/0'),
    )
    expect((await merchant.get(`/digital-wallets/${body.id}`)).body).toEqual(body)
    await merchant.delete(`/digital-wallets/${body.id}`)
  })

  test('stores its extra configuration as it was sent', async () => {
    const extra_configuration = { b: 1, a: { toString: [null, 'x'], 10: 2.5 } }
    const { body } = await register({ extra_configuration })
    expect(JSON.stringify(body.extra_configuration)).toBe(JSON.stringify(extra_configuration))
    await merchant.delete(`/digital-wallets/${body.id}`)
  })
})

test('of two requests for one provider one wins, and the 409 of the other names its wallet', async () => {
  await open()
  const answers = await Promise.all([register(), register()])
  const [winner, loser] = answers.toSorted((a, b) => a.status - b.status)
  expect([winner?.status, loser?.status]).toEqual([201, 409])
  expect(loser?.body).toMatchObject({ code: 'duplicate_record', resource_id: winner?.body.id })
  expect((await register({ provider: 'google', merchant_url: null })).status).toBe(201)
  expect((await register({ provider: 'click-to-pay' })).status).toBe(201)
})

describe('a domain', () => {
  beforeAll(open)

  test('is registered once, in upper or lower case, and removing one that is not registered is no error', async () => {
    const { body } = await register()
    const path = `/digital-wallets/${body.id}/domains`
    expect(await merchant.post(path, { domain_name: 'Shop.example' })).toMatchObject({
      status: 200,
      body: { domain_names: ['shop.example'] },
    })
    expect(await merchant.post(path, { domain_name: 'shop.example' })).toMatchObject({
      status: 200,
      body: { domain_names: ['shop.example'] },
    })
    expect(await merchant.post(path, { domain_name: 'shop/example' })).toMatchObject(
      invalidFields('/domain_name'),
    )
    const remove = (id: string, domain_name: string) =>
      railyard.send('DELETE', `/digital-wallets/${id}/domains`, {
        body: JSON.stringify({ domain_name }),
        headers: { authorization: `Bearer ${merchant.token}`, 'content-type': 'application/json' },
      })
    for (const name of ['other.example', 'SHOP.example', 'shop.example'])
      expect((await remove(body.id, name)).status).toBe(204)
    expect((await merchant.get(`/digital-wallets/${body.id}`)).body.domain_names).toEqual([])
    expect((await remove(randomUUID(), 'shop.example')).status).toBe(404)
  })

  test('can be registered for Apple only', async () => {
    const { body } = await register({ provider: 'google' })
    expect(
      await merchant.post(`/digital-wallets/${body.id}/domains`, { domain_name: 'shop.example' }),
    ).toMatchObject({ status: 400 })
  })

  test('that is registered at the same time as another one stays, as the other one does', async () => {
    await open()
    const { body } = await register()
    await Promise.all(
      ['a.example', 'b.example', 'c.example'].map((domain_name) =>
        merchant.post(`/digital-wallets/${body.id}/domains`, { domain_name }),
      ),
    )
    expect((await merchant.get(`/digital-wallets/${body.id}`)).body.domain_names.toSorted()).toEqual([
      'a.example',
      'b.example',
      'c.example',
    ])
  })

  test('that leads to Railyard serves Apple’s association file', async () => {
    await open()
    const domain = `d-${randomUUID()}.example`
    const read = (host: string) =>
      railyard.send('GET', '/.well-known/apple-developer-merchantid-domain-association', {
        headers: { 'x-forwarded-host': host },
      })
    const { body } = await register({
      domain_names: ['localhost', domain],
      extra_configuration: { apple_domain_association: '7B227073704964' },
    })
    // a client cannot choose its host header, so the shop is the one at this address
    const url = railyard.url.replace('127.0.0.1', 'localhost')
    const served = await fetch(`${url}/.well-known/apple-developer-merchantid-domain-association`)
    expect([served.status, served.headers.get('content-type'), await served.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      '7B227073704964',
    ])
    expect((await read(domain)).status).toBe(404)
    await merchant.delete(`/digital-wallets/${body.id}`)
    expect((await fetch(`${url}/.well-known/apple-developer-merchantid-domain-association`)).status).toBe(404)
  })
})

describe('a digital wallet in production', () => {
  beforeAll(open)
  const production = () => ({
    ...railyard.world,
    settings: { ...railyard.world.settings, environment: 'production' as const },
  })
  const pointersOf = (refused: Promise<unknown>) =>
    refused.then(
      () => [],
      (error: ApiError) => error.details.map(({ pointer }) => pointer),
    )
  const association = { extra_configuration: { apple_domain_association: 'of Apple' } }

  test('has its domains registered only once they serve Apple’s file', async () => {
    const create = (more: object) =>
      insertDigitalWallet(production(), merchant.account, { ...apple, provider: 'apple', ...more })
    expect(await pointersOf(create({ domain_names: ['shop.localhost'] }))).toEqual(['/domain_names/0'])
    expect(await pointersOf(create({ ...association, domain_names: ['shop.localhost'] }))).toEqual([
      '/domain_names/0',
    ])
    const { body } = await register({ ...association, domain_names: ['shop.localhost'] })
    const update = (domain_names: string[]) =>
      updateDigitalWallet(production(), merchant.account, body.id, { domain_names })
    expect(await pointersOf(update(['Shop.localhost', 'pay.localhost']))).toEqual(['/domain_names/1'])
    expect(await update(['Shop.localhost'])).toMatchObject({ domain_names: ['shop.localhost'] })
  })

  test('of another provider than Apple has its domains registered without a check', async () => {
    const wallet = await insertDigitalWallet(production(), merchant.account, {
      ...apple,
      provider: 'google',
      domain_names: ['shop.localhost'],
    })
    expect(
      await updateDigitalWallet(production(), merchant.account, wallet.id, {
        domain_names: ['pay.localhost'],
      }),
    ).toMatchObject({
      domain_names: ['pay.localhost'],
    })
  })
})
