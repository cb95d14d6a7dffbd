import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { halfDone } from '../../../test/support/checks/gift-card-differences.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { openWalletShop, type WalletShop } from '../../../test/support/domains/wallet.ts'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { readOperations } from '../../operations/journal/journal.ts'
import type { FaultItem, FaultKind } from '../../sandbox/faults/fault.schema.ts'
import { readTransaction } from '../transaction.store.ts'

let railyard: TestRailyard
let shop: WalletShop

/** An instance for each deed: every story compares all that happened before it, too, so that one for all took four times as long at the end as at first. */
function openForBusiness(): void {
  beforeAll(async () => {
    railyard = await startTestRailyard({ PROVIDER_TIMEOUT_MS: '400' })
    shop = await openWalletShop(railyard)
    await addGiftCardService(railyard, shop)
  })
  afterAll(async () => {
    // what a delay held back has arrived by now, and changed nothing
    await expectBooksMatch(railyard, shop.account)
    await railyard.close()
  })
}

const full = (amount: number) => ({ ...newGiftCard(`0${amount}`), amount })
/** A gift card that refuses: there is less on it than is asked for. */
const short = (amount: number) => ({ ...newGiftCard('01'), amount })
const twoCards = () => [full(20_00), full(5_00)]
const secondRefuses = () => [full(20_00), short(5_00)]
const alone = { payment_method: undefined }
const refusedCapture = 500_002

type Payment = ReturnType<WalletShop['payment']>

interface Deed {
  name: string
  /** What goes wrong on the way; each in a run of its own. */
  strikes: FaultItem['operation'][]
  /** A payment from before, where the deed is done to one. */
  prepare?: () => Promise<string>
  /** The provider sends notifications, by which the outcome may be found out although its answer was lost. */
  notified?: true
  /** Answers the payment's id. */
  act: (prepared: string) => Promise<string>
}

type Cards = () => object[]

const pays =
  (amount: number, cards: Cards, more: object = {}) =>
  async (): Promise<string> => {
    const { status, body } = await shop.pay(amount, { gift_cards: cards(), ...more })
    expect({ status, body }).toMatchObject({ status: 201 })
    return body.id
  }
const approves =
  (cards: Cards, more: object = {}) =>
  async (): Promise<string> => {
    const payment = await shop.asked(60_00, { gift_cards: cards(), ...more })
    await payment.buyer.approve()
    // asked about at once: a buyer who comes back would be made to wait
    await payment.sync()
    return payment.id
  }
const does = (what: (payment: Payment) => Promise<{ status: number }>) => async (id: string) => {
  expect((await what(shop.payment(id))).status).toBeLessThan(300)
  return id
}
const refundsOneCard = does(async (payment) => {
  const [redemption] = (await payment.read()).gift_card_redemptions
  return payment.refund({ amount: 15_00, target_type: 'gift-card-redemption', target_id: redemption.id })
})
const captures = { intent: 'capture' }

const deeds: Deed[] = [
  { name: 'a card and two gift cards', strikes: ['authorize', 'redeem'], act: pays(60_00, twoCards) },
  { name: 'the same, captured', strikes: ['authorize', 'redeem', 'capture'], act: pays(60_00, twoCards, captures) },
  { name: 'gift cards alone', strikes: ['redeem'], act: pays(25_00, twoCards, alone) },
  { name: 'gift cards alone, of which one refuses', strikes: ['redeem', 'reverse'], act: pays(25_00, secondRefuses, alone) },
  { name: 'a gift card that refuses', strikes: ['redeem', 'reverse', 'void'], act: pays(60_00, secondRefuses) },
  { name: 'a capture that is refused', strikes: ['capture', 'reverse', 'void'], act: pays(refusedCapture + 25_00, twoCards, captures) },
  { name: 'a wallet and two gift cards', strikes: ['sale', 'redeem'], notified: true, act: approves(twoCards, captures) },
  {
    name: 'a wallet and a gift card that refuses',
    strikes: ['sale', 'redeem', 'reverse', 'refund'],
    notified: true,
    act: approves(secondRefuses, captures),
  },
  { name: 'the same, authorized', strikes: ['authorize', 'redeem', 'reverse', 'void'], notified: true, act: approves(secondRefuses) },
  { name: 'a refund to a gift card', strikes: ['refund'], prepare: pays(60_00, twoCards), act: refundsOneCard },
  { name: 'a refund of everything', strikes: ['refund'], prepare: pays(60_00, twoCards, captures), act: does((payment) => payment.refundAll()) },
  { name: 'a capture of later', strikes: ['capture'], prepare: pays(60_00, twoCards), act: does((payment) => payment.capture({ amount: 10_00 })) },
  { name: 'a void of later', strikes: ['void'], prepare: pays(60_00, twoCards), act: does((payment) => payment.void()) },
]

/** One of each that is told apart here: an answer that is reset, malformed or empty is a lost one (`src/connectors/http.ts`), and `test/lab/matrix.test.ts` has them all. */
const kinds: Pick<FaultItem, 'kind' | 'delay_ms'>[] = [
  { kind: 'delay', delay_ms: 800 },
  ...(['error', 'reset', 'duplicate', 'outage'] satisfies FaultKind[]).map((kind) => ({ kind })),
]

/** Nothing that has failed at us may have moved money: asked at once, while the fault still lasts. */
async function neverFailedWhileMoved(): Promise<void> {
  const { operations, gift_cards: giftCards } = await booksOf(railyard)
  const moved = [...operations, ...giftCards.operations].filter(({ status }) => status === 'approved').map(({ key }) => key)
  const ours = await railyard.world.run(`select id, kind, status from operations where id = any($1) and status in ('failed', 'declined')`, [moved])
  expect(ours).toEqual([])
}

/** Decided, whole or not at all, and as the books of both providers say. */
async function expectWhole(id: string): Promise<void> {
  await recoverFully(railyard)
  await neverFailedWhileMoved()
  await expectBooksMatch(railyard, shop.account)
  const row = await readTransaction(railyard.world, shop.account, id)
  expect(halfDone(row, await readOperations(railyard.world, shop.account, id))).toEqual([])
  expect(row.status).not.toMatch(/processing|pending/)
}

describe.each(deeds)('$name', ({ strikes, prepare, act, notified }) => {
  openForBusiness()
  const struck = strikes.flatMap((operation) =>
    kinds.map((fault) => ({ operation, ...fault, of: `${operation}: ${fault.kind} ${fault.delay_ms ?? ''}` })),
  )

  test.each(struck)('is whole or undone after $of', async ({ operation, kind, delay_ms }) => {
    const prepared = await prepare?.()
    await injectFaults(railyard, { operation, kind, ...(delay_ms !== undefined && { delay_ms }), times: 1 })
    const id = await act(prepared ?? '')
    await neverFailedWhileMoved()
    await expectWhole(id)
  })

  test.each(strikes)('with every answer to %s lost and no look into the books, nothing is decided wrongly; then the truth', async (operation) => {
    const prepared = await prepare?.()
    const lost: FaultItem = { operation, kind: 'lost' }
    await injectFaults(railyard, lost)
    const id = await act(prepared ?? '')
    await injectFaults(railyard, lost, { operation: 'find', kind: 'error' }, { operation: 'close', kind: 'outage' })
    for (let pass = 0; pass < 3; pass++) {
      railyard.clock.advance(40_000)
      await railyard.recovery.runOnce()
      await neverFailedWhileMoved()
    }
    const unknown = await railyard.world.run(`select id from operations where transaction_id = $1 and status = 'unknown'`, [id])
    if (!notified) expect(unknown).not.toEqual([])
    await expectWhole(id)
  })
})
