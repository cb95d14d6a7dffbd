import { describe, expect, test } from 'vitest'
import {
  schemeChanges,
  storeCard,
  tokenBooks,
  withNetworkTokens,
} from '../../../test/support/domains/network-tokens.ts'
import { injectFaults } from '../../../test/support/provider.ts'
import { type Client, card } from '../../../test/support/railyard.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const merchant: Client = await railyard.merchant({ settings: withNetworkTokens() })

const flags = { merchant_initiated: false, is_subsequent_payment: false }
const tokensOf = (method: string) => `/payment-methods/${method}/network-tokens`
const provision = async () => {
  const method = await storeCard(merchant)
  const { status, body } = await merchant.post(tokensOf(method), { ...flags, security_code: '123' })
  expect({ status, body }).toMatchObject({ status: 201 })
  return { method, token: body, at: `${tokensOf(method)}/${body.id}` }
}
const list = async (method: string) => (await merchant.get(tokensOf(method))).body.items
const processDueTokens = async () => {
  railyard.clock.advance(700_000)
  await railyard.maintenance.runOnce()
}

describe('a network token', () => {
  test('is made for a stored card and listed with it', async () => {
    const method = await storeCard(merchant)
    expect(await list(method)).toEqual([])
    const made = await merchant.post(tokensOf(method), flags)
    expect(made).toMatchObject({
      status: 201,
      body: {
        type: 'network-token',
        payment_method_id: method,
        status: 'active',
        token: expect.stringMatching(/^489537\d{10}$/),
        expiration_date: '12/35',
      },
    })
    expect(await list(method)).toEqual([made.body])
  })

  test('is made once for a card, also by simultaneous requests', async () => {
    const method = await storeCard(merchant)
    const answers = await Promise.all([1, 2, 3, 4].map(() => merchant.post(tokensOf(method), flags)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    expect(await list(method)).toHaveLength(1)
    expect(await merchant.post(tokensOf(method), flags)).toMatchObject({ status: 400 })
  })

  test('needs a card, the scheme’s requestor id, and for merchant-initiated payments a subsequent one', async () => {
    const bank = await merchant.post('/payment-methods', {
      method: 'bank',
      scheme: 'bacs',
      account_holder: { first_name: 'Ada' },
      account_number: '12345678',
      routing_number: '108800',
    })
    const method = await storeCard(merchant)
    const amex = await storeCard(merchant, { number: '378282246310005' })
    const stranger = await railyard.merchant()
    const requests = [
      merchant.post(tokensOf(bank.body.id), flags),
      merchant.post(tokensOf(method), { merchant_initiated: true, is_subsequent_payment: false }),
      merchant.post(tokensOf(amex), flags),
      stranger.post(tokensOf(await storeCard(stranger)), flags),
    ]
    for (const answer of await Promise.all(requests))
      expect(answer).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    expect((await merchant.post(tokensOf(method), { merchant_initiated: true })).status).toBe(422)
    expect(
      (await merchant.post(tokensOf(method), { merchant_initiated: true, is_subsequent_payment: true }))
        .status,
    ).toBe(201)
  })

  test('whose answer was lost is requested again under the same id, and made once', async () => {
    const method = await storeCard(merchant)
    await injectFaults(railyard, { operation: 'network_token', kind: 'lost', times: 1 })
    expect((await merchant.post(tokensOf(method), flags)).status).toBe(504)
    expect(await list(method)).toEqual([])
    const before = await tokenBooks(railyard)
    expect((await merchant.post(tokensOf(method), flags)).status).toBe(201)
    const [token] = await list(method)
    expect(before).toContainEqual(expect.objectContaining({ id: token.id, token: token.token }))
    expect(await tokenBooks(railyard)).toHaveLength(before.length)
  })

  test('whose answer was lost is made by the background task without another request', async () => {
    const method = await storeCard(merchant)
    await injectFaults(railyard, { operation: 'network_token', kind: 'reset', times: 1 })
    expect((await merchant.post(tokensOf(method), flags)).status).toBe(504)
    await processDueTokens()
    expect(await list(method)).toMatchObject([{ status: 'active' }])
  })

  test('can be suspended only while it is active, and resumed only while it is suspended', async () => {
    const { at } = await provision()
    const steps = ['resume', 'suspend', 'suspend', 'resume']
    const answers = []
    for (const step of steps) answers.push(await merchant.post(`${at}/${step}`))
    expect(answers.map(({ status }) => status)).toEqual([400, 200, 400, 200])
    expect([answers[1]?.body.status, answers[3]?.body.status]).toEqual(['suspended', 'active'])
  })

  test('whose suspension had no answer is found suspended by the background task', async () => {
    const { at, method } = await provision()
    await injectFaults(railyard, { operation: 'network_token', kind: 'lost', times: 1 })
    expect((await merchant.post(`${at}/suspend`)).status).toBe(504)
    await processDueTokens()
    expect(await list(method)).toMatchObject([{ status: 'suspended' }])
  })

  test('gives a cryptogram for each payment while it is active', async () => {
    const { at } = await provision()
    const cryptogram = () => merchant.post(`${at}/cryptogram`, { merchant_initiated: false })
    const [first, second] = [await cryptogram(), await cryptogram()]
    expect(first).toMatchObject({
      status: 201,
      body: { type: 'network-token-cryptogram', cryptogram: expect.any(String) },
    })
    expect(second.body.cryptogram).not.toBe(first.body.cryptogram)
    await merchant.post(`${at}/suspend`)
    expect((await cryptogram()).status).toBe(400)
  })

  test('is deleted at the scheme, too, and the card may then have another one', async () => {
    const { at, method, token } = await provision()
    expect((await merchant.delete(at)).status).toBe(204)
    expect((await merchant.delete(at)).status).toBe(404)
    expect(await list(method)).toEqual([])
    expect(await tokenBooks(railyard)).toContainEqual(
      expect.objectContaining({ id: token.id, status: 'deleted' }),
    )
    expect((await merchant.post(tokensOf(method), flags)).status).toBe(201)
  })

  test('is deleted with its payment method, also if the scheme does not answer at first', async () => {
    const { method, token } = await provision()
    await injectFaults(railyard, { operation: 'network_token', kind: 'outage', times: 1 })
    expect((await merchant.delete(`/payment-methods/${method}`)).status).toBe(204)
    expect((await merchant.get(tokensOf(method))).status).toBe(404)
    await railyard.maintenance.runOnce()
    expect(await tokenBooks(railyard)).toContainEqual(
      expect.objectContaining({ id: token.id, status: 'active' }),
    )
    await processDueTokens()
    expect(await tokenBooks(railyard)).toContainEqual(
      expect.objectContaining({ id: token.id, status: 'deleted' }),
    )
    const rows = await railyard.world.run('select 1 as one from network_tokens where id = $1', [token.id])
    expect(rows).toEqual([])
  })

  test('follows the changes that its scheme makes', async () => {
    const { method, token } = await provision()
    await schemeChanges(railyard, token.id, { status: 'suspended', expiration_date: '11/40' })
    await expect.poll(() => list(method)).toMatchObject([{ status: 'suspended', expiration_date: '11/40' }])
    await schemeChanges(railyard, token.id, { status: 'deleted' })
    await expect.poll(() => list(method)).toEqual([])
  })

  test('is not changed by a forged notification', async () => {
    const { method, token } = await provision()
    const forged = `/notifications/network-tokens/${merchant.account}/${token.id}/forged`
    expect(
      (
        await railyard.send('POST', forged, {
          body: '{"status":"deleted"}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(404)
    expect(await list(method)).toMatchObject([{ status: 'active' }])
  })

  test('is stored sealed', async () => {
    const { token } = await provision()
    const rows = await railyard.world.run<{ row: unknown }>(
      'select row_to_json(t) as row from network_tokens t where id = $1',
      [token.id],
    )
    expect(JSON.stringify(rows)).not.toContain(token.token)
    expect(railyard.logged.join('\n')).not.toContain(token.token)
    expect(card.number).not.toBe(token.token)
  })

  test('cannot be made on an installation without a token service', async () => {
    const { schemes } = railyard.world
    const method = await storeCard(merchant)
    railyard.world.schemes = {
      tokenService: undefined,
      accountUpdater: undefined,
      threeDSecureServer: undefined,
    }
    const answer = await merchant.post(tokensOf(method), flags)
    railyard.world.schemes = schemes
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })
})
