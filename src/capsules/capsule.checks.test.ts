import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../test/support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../../test/support/domains/gift-cards.ts'
import {
  authenticatedPayment,
  challenge,
  openSecureShop,
  scenario,
} from '../../test/support/domains/secure-shop.ts'
import { walletService } from '../../test/support/domains/wallet.ts'
import { startTestRailyard } from '../../test/support/railyard.ts'
import { openShop, type Shop } from '../../test/support/shop.ts'
import type { Capsule } from './capsule.schema.ts'
import { exportCapsule } from './export-capsule.ts'
import { replayCapsule } from './replay-capsule.ts'

const railyard = await startTestRailyard()
const folder = await mkdtemp(join(tmpdir(), 'railyard-capsule-checks-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const exported = async (shop: Shop, { id }: { id: string }): Promise<Capsule> =>
  JSON.parse(JSON.stringify(await exportCapsule(railyard.world, shop.account, id)))
const replay = async (capsule: Capsule) => replayCapsule(capsule, await mkdtemp(join(folder, 'data-')))
/** The capsule as if its account had declined this amount by a rule. */
const withRule = (
  capsule: Capsule,
  flow: Capsule['rules'][number]['flow'] = 'card-transaction',
): Capsule => ({
  ...capsule,
  rules: [
    {
      flow,
      version: 1,
      rules: [
        {
          display_name: 'Rule 1',
          action: 'decline-early',
          active: true,
          condition: { field: 'currency', operator: 'is', value: capsule.payment.currency },
          outcome: {},
        },
      ],
    },
  ],
})

describe('a payment whose card’s issuer was asked', async () => {
  const shop = await openSecureShop(railyard)
  await scenario(railyard, shop, 71_00, 'C', 'Y')
  await scenario(railyard, shop, 72_00, 'N')
  const pay = async (amount: number) => (await shop.pay(amount, authenticatedPayment())).body

  test.each([
    ['authenticated at once', 70_00, 'authorization_succeeded'],
    ['refused', 72_00, 'authorization_failed'],
  ])('and %s is replayed', async (_, amount, status) => {
    const capsule = await exported(shop, await pay(amount))
    expect(capsule.result.status).toBe(status)
    expect(capsule.operations[0]).toMatchObject({ kind: 'authentication', exchanges: [{}, {}] })
    expect(await replay(capsule)).toEqual({ same: true, steps: 1 })
  })

  test('and who confirmed on the issuer’s page is replayed, and a changed rule is the first difference', async () => {
    const payment = await pay(71_00)
    await challenge(railyard, payment.payment_method.approval_url)
    await shop.payment(payment.id).capture()
    const capsule = await exported(shop, payment)
    expect(capsule.result.status).toBe('capture_succeeded')
    expect(capsule.operations[0]?.exchanges).toHaveLength(3)
    expect(await replay(capsule)).toEqual({ same: true, steps: 2 })
    expect(await replay(withRule(capsule))).toMatchObject({
      difference: expect.stringMatching(/^operation 1, kind: recorded "authentication", now nothing;/),
    })
  })

  test('has no proof of the issuer in its capsule', async () => {
    const body = await pay(70_00)
    const text = JSON.stringify(await exported(shop, body))
    expect(text).toContain('authenticationValue')
    expect(text).not.toContain(body.three_d_secure.response_data.cavv)
    expect(text).not.toMatch(/Tea House|acquirer-merchant-1/)
  })
})

describe('a payment that an anti-fraud service screened', async () => {
  const shop = await openShop(railyard)
  await addAntiFraudService(railyard, shop)
  const capsuleOf = async (verdict: string) =>
    exported(shop, (await shop.pay(80_00, { buyer: buyerScreenedAs(verdict) })).body)

  test.each([
    ['accept', 'authorization_succeeded'],
    ['reject', 'authorization_failed'],
    ['exception', 'authorization_succeeded'],
  ])('with %s is replayed', async (verdict, status) => {
    const capsule = await capsuleOf(verdict)
    expect(capsule.result.status).toBe(status)
    expect(capsule.operations[0]?.kind).toBe('screening')
    expect(JSON.stringify(capsule)).not.toContain(`${verdict}@example.com`)
    expect(await replay(capsule)).toEqual({ same: true, steps: 1 })
  })

  test('shows a changed rule as the first difference', async () => {
    expect(await replay(withRule(await capsuleOf('accept')))).toEqual({
      same: false,
      difference: 'operation 1, kind: recorded "screening", now nothing',
    })
  })
})

describe('a payment with gift cards', async () => {
  const use = (pin: string, amount: number) => ({ ...newGiftCard(pin), amount })
  const shop = await openShop(railyard)
  await addGiftCardService(railyard, shop)

  test.each([
    ['that pay alone', ['05000', '05000'], 7_00, { payment_method: undefined }],
    ['of which the second is refused', ['05000', '00000'], 20_00, {}],
  ])('%s is replayed', async (_, [first = '', second = ''], amount, more) => {
    const gift_cards = [use(first, 5_00), use(second, 2_00)]
    const { body } = await shop.pay(amount, { gift_cards, ...more })
    expect(await replay(await exported(shop, body))).toEqual({ same: true, steps: 1 })
  })

  test('beside a card is replayed without the gift cards’ numbers, and a changed rule is the first difference', async () => {
    const gift_cards = [use('05000', 5_00), use('05000', 2_00)]
    const { body } = await shop.pay(20_00, { gift_cards })
    await shop.payment(body.id).capture()
    const capsule = await exported(shop, body)
    for (const { number, pin } of gift_cards)
      for (const secret of [number, `"${pin}"`, number.slice(-4)])
        expect(JSON.stringify(capsule)).not.toContain(secret)
    expect(await replay(capsule)).toEqual({ same: true, steps: 2 })
    expect(await replay(withRule(capsule))).toMatchObject({
      difference: expect.stringMatching(/^operation 1, kind: recorded "authorize", now nothing;/),
    })
  })
})

describe('a payment that a buyer approved', () => {
  test('at a wallet’s page is replayed', async () => {
    const shop = await openShop(railyard)
    await railyard.admin.post('/payment-services', walletService(), {
      'x-svc-merchant-account-id': shop.account,
    })
    const pay = async () =>
      (
        await shop.post('/transactions', {
          amount: 30_00,
          currency: 'EUR',
          country: 'DE',
          payment_method: {
            method: 'wallet',
            country: 'DE',
            currency: 'EUR',
            redirect_url: 'https://shop.example/',
          },
        })
      ).body
    const approved = await pay()
    await shop.post(`/sandbox/transactions/${approved.id}/simulate`, { event: 'approved' })
    await shop.payment(approved.id).sync()
    await shop.payment(approved.id).capture()
    const capsule = await exported(shop, approved)
    expect(capsule.result.status).toBe('capture_succeeded')
    expect(await replay(capsule)).toEqual({ same: true, steps: 2 })
    expect(JSON.stringify(capsule)).not.toMatch(/QYR5Z8XDVJNXQ|approval_url|sandbox\/providers/)
    expect(await replay(withRule(capsule, 'non-card-transaction'))).toMatchObject({
      difference: expect.stringMatching(/^operation 1, kind: recorded "approval", now nothing;/),
    })
  })
})
