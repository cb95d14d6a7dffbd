import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { halfDone } from '../../../test/support/checks/gift-card-differences.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import { openWalletShop, type WalletShop } from '../../../test/support/domains/wallet.ts'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { startTestRailyard, type TestRailyard } from '../../../test/support/railyard.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import type { FaultItem, FaultKind } from '../../sandbox/faults/fault.schema.ts'
import { readTransaction } from '../transaction.store.ts'

let railyard: TestRailyard
let shop: WalletShop

/**
 * An instance for each scenario: every test compares all books of its instance, so that one instance for all
 * took four times as long at the end.
 */
function startInstance(): void {
  beforeAll(async () => {
    railyard = await startTestRailyard({ PROVIDER_TIMEOUT_MS: '400' })
    shop = await openWalletShop(railyard)
    await addGiftCardService(railyard, shop)
  })
  afterAll(async () => {
    // delayed requests have arrived by now, and must have changed nothing
    await expectBooksMatch(railyard, shop.account)
    await railyard.close()
  })
}

const full = (amount: number) => ({ ...newGiftCard(`0${amount}`), amount })
/** A gift card that refuses: its balance is less than the amount. */
const short = (amount: number) => ({ ...newGiftCard('01'), amount })
const twoCards = () => [full(20_00), full(5_00)]
const secondRefuses = () => [full(20_00), short(5_00)]
const alone = { payment_method: undefined }
const refusedCapture = 500_002

type Payment = ReturnType<WalletShop['payment']>

interface Scenario {
  name: string
  /** The operations with a fault, each in a test of its own. */
  faulty: FaultItem['operation'][]
  /** Makes the payment on which the scenario acts; absent: the scenario makes its own. */
  prepare?: () => Promise<string>
  /** The provider sends notifications, which reveal the outcome although its answer was lost. */
  notified?: true
  /** Returns the payment's id. */
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
    // a sync finds the approval at once; the buyer's return would wait for it
    await payment.sync()
    return payment.id
  }
const acts = (action: (payment: Payment) => Promise<{ status: number }>) => async (id: string) => {
  expect((await action(shop.payment(id))).status).toBeLessThan(300)
  return id
}
const refundsOneCard = acts(async (payment) => {
  const [redemption] = (await payment.read()).gift_card_redemptions
  return payment.refund({ amount: 15_00, target_type: 'gift-card-redemption', target_id: redemption.id })
})
const captures = { intent: 'capture' }

const scenarios: Scenario[] = [
  { name: 'a card and two gift cards', faulty: ['authorize', 'redeem'], act: pays(60_00, twoCards) },
  {
    name: 'the same, captured',
    faulty: ['authorize', 'redeem', 'capture'],
    act: pays(60_00, twoCards, captures),
  },
  { name: 'gift cards alone', faulty: ['redeem'], act: pays(25_00, twoCards, alone) },
  {
    name: 'gift cards alone, of which one refuses',
    faulty: ['redeem', 'reverse'],
    act: pays(25_00, secondRefuses, alone),
  },
  {
    name: 'a gift card that refuses',
    faulty: ['redeem', 'reverse', 'void'],
    act: pays(60_00, secondRefuses),
  },
  {
    name: 'a capture that is refused',
    faulty: ['capture', 'reverse', 'void'],
    act: pays(refusedCapture + 25_00, twoCards, captures),
  },
  {
    name: 'a wallet and two gift cards',
    faulty: ['sale', 'redeem'],
    notified: true,
    act: approves(twoCards, captures),
  },
  {
    name: 'a wallet and a gift card that refuses',
    faulty: ['sale', 'redeem', 'reverse', 'refund'],
    notified: true,
    act: approves(secondRefuses, captures),
  },
  {
    name: 'the same, authorized',
    faulty: ['authorize', 'redeem', 'reverse', 'void'],
    notified: true,
    act: approves(secondRefuses),
  },
  {
    name: 'a refund to a gift card',
    faulty: ['refund'],
    prepare: pays(60_00, twoCards),
    act: refundsOneCard,
  },
  {
    name: 'a refund of everything',
    faulty: ['refund'],
    prepare: pays(60_00, twoCards, captures),
    act: acts((payment) => payment.refundAll()),
  },
  {
    name: 'a capture of later',
    faulty: ['capture'],
    prepare: pays(60_00, twoCards),
    act: acts((payment) => payment.capture({ amount: 10_00 })),
  },
  {
    name: 'a void of later',
    faulty: ['void'],
    prepare: pays(60_00, twoCards),
    act: acts((payment) => payment.void()),
  },
]

/**
 * One fault of each kind that makes a difference here: a reset, malformed or empty answer is a lost one
 * (`src/connectors/wire/http.ts`), and `test/lab/matrix.test.ts` has them all.
 */
const kinds: Pick<FaultItem, 'kind' | 'delay_ms'>[] = [
  { kind: 'delay', delay_ms: 800 },
  ...(['error', 'reset', 'duplicate', 'outage'] satisfies FaultKind[]).map((kind) => ({ kind })),
]

/** No operation that Railyard recorded as failed or declined has moved money, also while the fault lasts. */
async function neverFailedWhileMoved(): Promise<void> {
  const { operations, gift_cards: giftCards } = await booksOf(railyard)
  const moved = [...operations, ...giftCards.operations]
    .filter(({ status }) => status === 'approved')
    .map(({ key }) => key)
  const failedButMoved = await railyard.world.run(
    `select id, kind, status from operations where id = any($1) and status in ('failed', 'declined')`,
    [moved],
  )
  expect(failedButMoved).toEqual([])
}

/**
 * The payment has a final outcome, took effect whole or not at all, and agrees with both providers' books.
 */
async function expectWhole(id: string): Promise<void> {
  await recoverFully(railyard)
  await neverFailedWhileMoved()
  await expectBooksMatch(railyard, shop.account)
  const row = await readTransaction(railyard.world, shop.account, id)
  expect(halfDone(row, await readOperations(railyard.world, shop.account, id))).toEqual([])
  expect(row.status).not.toMatch(/processing|pending/)
}

describe.each(scenarios)('$name', ({ faulty, prepare, act, notified }) => {
  startInstance()
  const faults = faulty.flatMap((operation) =>
    kinds.map((fault) => ({
      operation,
      ...fault,
      of: `${operation}: ${fault.kind} ${fault.delay_ms ?? ''}`,
    })),
  )

  test.each(faults)('is whole or undone after the fault $of', async ({ operation, kind, delay_ms }) => {
    const prepared = await prepare?.()
    await injectFaults(railyard, { operation, kind, ...(delay_ms !== undefined && { delay_ms }), times: 1 })
    const id = await act(prepared ?? '')
    await neverFailedWhileMoved()
    await expectWhole(id)
  })

  test.each(faulty)(
    'has no wrong outcome while every answer to %s and every lookup fails, and the right one afterwards',
    async (operation) => {
      const prepared = await prepare?.()
      const lost: FaultItem = { operation, kind: 'lost' }
      await injectFaults(railyard, lost)
      const id = await act(prepared ?? '')
      await injectFaults(
        railyard,
        lost,
        { operation: 'find', kind: 'error' },
        { operation: 'close', kind: 'outage' },
      )
      for (let pass = 0; pass < 3; pass++) {
        railyard.clock.advance(40_000)
        await railyard.recovery.runOnce()
        await neverFailedWhileMoved()
      }
      const unknown = await railyard.world.run(
        `select id from operations where transaction_id = $1 and status = 'unknown'`,
        [id],
      )
      if (!notified) expect(unknown).not.toEqual([])
      await expectWhole(id)
    },
  )
})

describe('the void after a refused gift card', () => {
  startInstance()

  test.each(['error', 'reset', 'outage', 'lost'] satisfies FaultKind[])(
    'that the payment service does not take or answer for 25 minutes (%s) is made by recovery, once',
    async (kind) => {
      await injectFaults(railyard, { operation: 'void', kind })
      const id = await pays(60_00, secondRefuses)()
      for (let pass = 0; pass < 5; pass++) {
        railyard.clock.advance(300_000)
        await railyard.recovery.runOnce()
      }
      await expectWhole(id)
      const voids = (await readOperations(railyard.world, shop.account, id)).filter(
        (each) => each.kind === 'void',
      )
      expect(voids).toMatchObject([{ status: 'approved' }])
      expect(await shop.payment(id).read()).toMatchObject({
        status: 'authorization_voided',
        intent_outcome: 'failed',
      })
    },
  )

  test('whose process died before it sent it is sent by recovery, once', async () => {
    await injectFaults(railyard, { operation: 'void', kind: 'outage' })
    const id = await pays(60_00, secondRefuses)()
    // as it was intended: no process has recorded anything of it
    await railyard.world.run(
      `update operations set status = 'sent', checks = 0, check_at = created_at + interval '20 s', exchanges = '[]'
        where transaction_id = $1 and kind = 'void'`,
      [id],
    )
    await expectWhole(id)
    const voids = (await readOperations(railyard.world, shop.account, id)).filter(
      (each) => each.kind === 'void',
    )
    expect(voids).toMatchObject([{ status: 'approved' }])
    expect(await shop.payment(id).read()).toMatchObject({ status: 'authorization_voided' })
  })
})
