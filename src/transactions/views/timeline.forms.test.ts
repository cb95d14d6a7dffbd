import { expect, onTestFinished, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import {
  authenticatedPayment,
  challenge,
  requireAuthentication,
  scenario,
} from '../../../test/support/domains/secure-shop.ts'
import { injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { addService, openShop, type Shop } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

// Beside a process that reads no packed lists the lines are rows of their own, and the way they are stored may change
// between any two commits.

const railyard = await startRailyardForFile()
const { world } = railyard

interface Line {
  id: string
  name: string
  created_at: string
  context: Record<string, unknown>
}

const short = { ...newGiftCard('01'), amount: 5_00 }
const full = (amount: number) => ({ ...newGiftCard(`0${amount}`), amount })

/** Each makes a payment and answers its id. */
const stories: Record<string, (shop: Shop) => Promise<string>> = {
  'a split tender': async (shop) => (await shop.sold(40_00, { gift_cards: [full(10_00), full(5_00)] })).id,
  'a split tender whose second card refuses': async (shop) =>
    (await shop.sold(40_00, { gift_cards: [full(10_00), short] })).id,
  'a split tender whose void is refused, and then voided': async (shop) => {
    const { id } = await shop.authorized(510_002 + 5_00, { gift_cards: [short] })
    await shop.payment(id).void()
    return id
  },
  'gift cards alone, refunded': async (shop) => {
    const payment = await shop.sold(15_00, { payment_method: undefined, gift_cards: [full(15_00)] })
    await payment.refundAll()
    return payment.id
  },
  'a retry at another payment service': async (shop) => {
    await addService(railyard, shop)
    return (await shop.authorized(300_013)).id
  },
  'a challenge': async (shop) => {
    await requireAuthentication(railyard, shop, shop.paymentServiceId)
    await scenario(railyard, shop, 73_10, 'C', 'Y')
    const { body } = await shop.pay(73_10, { ...authenticatedPayment(), intent: 'capture' })
    await challenge(railyard, body.payment_method.approval_url)
    return body.id
  },
  'an authorization that is found': async (shop) => {
    await injectFaults(railyard, { operation: 'authorize', kind: 'lost', times: 1 })
    const { body } = await shop.pay(12_00)
    await recoverFully(railyard)
    await shop.payment(body.id).sync()
    await shop.payment(body.id).increment(1_00)
    await shop.payment(body.id).correct({ metadata: { a: 'b' } })
    return body.id
  },
  'a capture that is sent again, and refunds': async (shop) => {
    const payment = await shop.authorized(12_00)
    await injectFaults(railyard, { operation: 'capture', kind: 'outage', times: 1 })
    await payment.capture()
    await recoverFully(railyard)
    await payment.refund({ amount: 5_00 })
    await payment.refund()
    return payment.id
  },
}

async function linesOf(shop: Shop, id: string): Promise<Line[]> {
  const { status, body } = await shop.get(`/transactions/${id}/events`)
  expect({ status, body }).toMatchObject({ status: 200, body: { next_cursor: null } })
  return body.items
}

const shapes = (lines: Line[]) =>
  lines.map(({ name, context }) => [name, context['status'], Object.keys(context).sort()])

const { packedJson } = world
let isPacked: () => boolean = () => true
Object.defineProperty(packedJson, 'isReadByAll', { get: () => isPacked(), set: () => undefined })

let commits = 0
const countingRun = world.run
world.run = ((...parameters: Parameters<typeof countingRun>) => {
  commits += 1
  return countingRun(...parameters)
}) as typeof countingRun

const forms: Record<string, () => boolean> = {
  packed: () => true,
  plain: () => false,
  'by turns': () => commits % 2 === 0,
  'by turns of two': () => commits % 4 < 2,
}

test.each(Object.entries(stories))(
  '%s has the same lines, each once, in the order of time, however they are stored, also once it is erased',
  async (_, story) => {
    onTestFinished(() => {
      isPacked = () => true
    })
    const found: Record<string, unknown> = {}
    for (const [form, isPackedNow] of Object.entries(forms)) {
      isPacked = isPackedNow
      const shop = await openShop(railyard)
      await addGiftCardService(railyard, shop)
      const id = await story(shop)
      await recoverFully(railyard)
      const lines = await linesOf(shop, id)
      expect(new Set(lines.map((line) => line.id)).size).toBe(lines.length)
      const times = lines.map((line) => line.created_at)
      expect(times.toSorted().reverse()).toEqual(times)
      found[form] = shapes(lines)
      expect((await shop.post(`/transactions/${id}/erase`)).body).toMatchObject({ status: 'succeeded' })
      const same = ({ id: line, name, created_at }: Line) => ({ line, name, created_at })
      expect((await linesOf(shop, id)).map(same)).toEqual(lines.map(same))
      // again, as erased lists are stored otherwise
      await shop.payment(id).correct({ metadata: { c: 'd' } })
      await shop.post(`/transactions/${id}/erase`)
      await railyard.erasing.runOnce()
      expect((await shop.get(`/transactions/${id}/erasure`)).body).toMatchObject({ status: 'succeeded' })
      expect((await linesOf(shop, id)).slice(-lines.length).map(same)).toEqual(lines.map(same))
    }
    const { packed } = found
    for (const [form, lines] of Object.entries(found))
      expect({ form, lines }).toEqual({ form, lines: packed })
  },
  60_000,
)
