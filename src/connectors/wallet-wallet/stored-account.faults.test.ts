import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { crashingWorld } from '../../../test/support/domains/payment-links.ts'
import { goTo, startWalletShop } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { createTransaction } from '../../transactions/create/create-transaction.ts'
import { readDraft } from '../../transactions/create/draft.ts'
import { verify } from '../../verify/verify.ts'

const { railyard, shop } = await startWalletShop({
  env: { PROVIDER_TIMEOUT_MS: '400' },
  faults: true,
  // a notification would find the outcome that recovery is to find
  fields: { webhook_id: undefined },
})
afterEach(async () => {
  await expectBooksMatch(railyard, shop.account)
  expect(
    (await verify(railyard.world.run, { now: railyard.clock.now(), idempotencyRetention: 30 })).findings,
  ).toEqual([])
})

const newBuyer = async (): Promise<string> =>
  (await shop.post('/buyers', { external_identifier: randomUUID() })).body.id
const storing = async (buyer: string, more: Record<string, unknown> = {}) =>
  shop.asked(42_00, { buyer_id: buyer, store: true, ...more })
const methodsOf = async (buyer: string) => (await shop.get(`/payment-methods?buyer_id=${buyer}`)).body.items
const tokensOf = async (method: string) =>
  (await shop.get(`/payment-methods/${method}/payment-service-tokens`)).body.items

/** A stored PayPal account, and its buyer. */
async function stored(): Promise<{ id: string; buyer: string }> {
  const buyer = await newBuyer()
  const payment = await storing(buyer)
  await goTo(await payment.buyer.approve())
  return { id: (await payment.read()).payment_method.id, buyer }
}

/** The later payment of a series, which the merchant initiates. */
const byMerchant = {
  payment_source: 'recurring',
  merchant_initiated: true,
  is_subsequent_payment: true,
}
const charge = (id: string, more: Record<string, unknown> = {}) =>
  shop.pay(11_00, { ...byMerchant, payment_method: { method: 'id', id }, ...more })

test.each(['lost', 'malformed', 'reset', 'timeout_after'] as const)(
  'a payment stores its account if the answer is: %s',
  async (kind) => {
    const buyer = await newBuyer()
    const payment = await storing(buyer)
    const back = await payment.buyer.approve()
    await injectFaults(railyard, { operation: 'authorize', kind, times: 1 })
    await goTo(back)
    await recoverFully(railyard)
    const { status, payment_method: method } = await payment.read()
    expect(status).toBe('authorization_succeeded')
    expect(await methodsOf(buyer)).toMatchObject([{ id: method.id, status: 'succeeded' }])
    expect(await tokensOf(method.id)).toHaveLength(1)
  },
)

test.each([
  ['approval', 'lost', 'failed'],
  ['authorize', 'lost', 'succeeded'],
  ['authorize', 'malformed', 'succeeded'],
  ['authorize', 'timeout_after', 'succeeded'],
  ['authorize', 'reset', 'failed'],
  ['authorize', 'timeout', 'failed'],
] as const)(
  'a payment with a stored account is decided by recovery if %s is answered: %s',
  async (operation, kind, ending) => {
    const { id } = await stored()
    await injectFaults(railyard, { operation, kind, times: 1 })
    const { status, body } = await charge(id)
    expect(status).toBe(201)
    await recoverFully(railyard)
    const { authorized_amount: amount, status: decided } = await shop.payment(body.id).read()
    expect({ decided, amount }).toEqual({
      decided: `authorization_${ending}`,
      amount: ending === 'succeeded' ? 11_00 : 0,
    })
  },
)

test('a payment with a stored account is made once or not at all by a process that dies at any statement', async () => {
  const { id } = await stored()
  const body = {
    amount: 11_00,
    currency: 'EUR' as const,
    ...byMerchant,
    payment_method: { method: 'id', id },
  }
  const found = new Set<string>()
  let completed = false
  for (let at = 1; !completed; at++)
    for (const committed of [false, true]) {
      const reference = randomUUID()
      const request = { ...body, external_identifier: reference }
      completed = await createTransaction(crashingWorld(railyard.world, at, committed), {
        account: shop.account,
        body: request,
        draft: readDraft(request as Parameters<typeof readDraft>[0], railyard.world),
        session: undefined,
        fromBrowser: false,
        ipAddress: null,
        claim: undefined,
        path: '/transactions',
      }).then(
        () => true,
        () => false,
      )
      await recoverFully(railyard)
      const { items } = (await shop.get(`/transactions?external_identifier=${reference}`)).body
      found.add(items[0]?.status ?? 'none')
      await expectBooksMatch(railyard, shop.account)
    }
  expect([...found].sort()).toEqual(['authorization_failed', 'authorization_succeeded', 'none'])
})
