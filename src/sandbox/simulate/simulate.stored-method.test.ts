import { describe, expect, test } from 'vitest'
import { schemeChanges, storeCard, withNetworkTokens } from '../../../test/support/domains/network-tokens.ts'
import { refusedAt, simulationsOf } from '../../../test/support/domains/simulate.ts'
import type { Answer } from '../../../test/support/railyard.ts'
import { openShop } from '../../../test/support/shop.ts'
import { startShop } from '../../../test/support/start-shop.ts'

const { railyard, shop } = await startShop({
  comparesBooks: false,
  merchant: { settings: withNetworkTokens({ account_updater_enabled: true }) },
})
const { simulate } = simulationsOf(shop)

describe('simulated changes of the stored method', () => {
  const paidWithStored = async () => {
    const method = await storeCard(shop)
    return { method, ...(await shop.authorized(1_00, { payment_method: { method: 'id', id: method } })) }
  }
  const read = async (id: string) => (await shop.get(`/payment-methods/${id}`)).body

  test('add standby details when its issuer has newer ones', async () => {
    const payment = await paidWithStored()
    expect(await simulate(payment, 'card_updated')).toMatchObject({ status: 200, body: { id: payment.id } })
    expect(await read(payment.method)).toMatchObject({ has_replacement: true, expiration_date: '12/35' })
    // an amount with which the old card is refused as expired
    await shop.pay(200_005, { payment_method: { method: 'id', id: payment.method } })
    expect(await read(payment.method)).toMatchObject({ has_replacement: false, expiration_date: '12/38' })
    expect(await simulate(payment, 'card_closed')).toMatchObject({ status: 200 })
    expect(await simulate(await shop.authorized(1_00), 'card_updated')).toMatchObject(
      refusedAt('/event', /not paid with a stored payment method/),
    )
  })

  test('are refused without an account updater', async () => {
    const withoutUpdater = await openShop(railyard)
    const payment = await withoutUpdater.authorized(1_00, {
      payment_method: { method: 'id', id: await storeCard(withoutUpdater) },
    })
    const answer = await simulate(payment, 'card_updated', {}, withoutUpdater)
    expect(answer).toMatchObject(refusedAt('/event', /the merchant account has no account updater/))
    expect(answer.body.details[0].message).not.toMatch(/card_(updated|closed)/)
  })

  test('suspend, resume and delete its network token', async () => {
    const payment = await paidWithStored()
    const at = `/payment-methods/${payment.method}/network-tokens`
    expect(await simulate(payment, 'token_suspended')).toMatchObject(
      refusedAt('/event', /there is no network token/),
    )
    const token = (await shop.post(at, { merchant_initiated: false, is_subsequent_payment: false })).body
    const status = async () => (await shop.get(at)).body.items.map((each: Answer['body']) => each.status)
    await simulate(payment, 'token_suspended')
    expect(await status()).toEqual(['suspended'])
    expect(await simulate(payment, 'token_suspended')).toMatchObject(
      refusedAt('/event', /the network token is suspended.*token_resumed, token_deleted/),
    )
    await simulate(payment, 'token_resumed')
    expect(await status()).toEqual(['active'])
    expect(await simulate(payment, 'token_deleted')).toMatchObject({ status: 200 })
    expect(await status()).toEqual([])
    await schemeChanges(railyard, token.id, { status: 'deleted' })
  })

  test('pause it, and it takes no payments until it is resumed', async () => {
    const payment = await paidWithStored()
    await simulate(payment, 'method_paused')
    expect(await read(payment.method)).toMatchObject({ status: 'paused' })
    expect(await shop.pay(1_00, { payment_method: { method: 'id', id: payment.method } })).toMatchObject({
      status: 400,
    })
    expect(await simulate(payment, 'method_paused')).toMatchObject(refusedAt('/event', /is paused/))
    await simulate(payment, 'method_resumed')
    expect(await read(payment.method)).toMatchObject({ status: 'succeeded' })
    for (const event of ['updated', 'update_required', 'expiring'])
      expect(await simulate(payment, `method_authorization_${event}`)).toMatchObject({ status: 200 })
    const names = (await shop.get('/events?limit=1000')).body.items.filter(
      ({ target }: Answer['body']) => target.id === payment.method,
    )
    expect(
      names
        .map(({ name }: Answer['body']) => name)
        .filter((name: string) => /paused|resumed|authorization/.test(name)),
    ).toEqual(
      [
        'paused',
        'resumed',
        'authorization-updated',
        'authorization-update-required',
        'authorization-expiring',
      ].map((name) => `payment-method.${name}`),
    )
  })
})
