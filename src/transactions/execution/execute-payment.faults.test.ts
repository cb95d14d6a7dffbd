import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import { addGiftCardService, newGiftCard } from '../../../test/support/domains/gift-cards.ts'
import {
  challenge,
  openSecureShop,
  requireAuthentication,
} from '../../../test/support/domains/secure-shop.ts'
import { expectSteps, retryVisit } from '../../../test/support/payment-steps.ts'
import { booksOf, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { card } from '../../../test/support/railyard.ts'
import { addService } from '../../../test/support/shop.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import type { FaultItem, FaultKind } from '../../sandbox/faults/fault.schema.ts'
import { readTransaction } from '../transaction.store.ts'

const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '400' })
const shop = await openSecureShop(railyard)
const second = await addService(railyard, shop)
await requireAuthentication(railyard, shop, second)
// refuses everything, and may be asked again elsewhere
const refusing = await addService(railyard, shop, { fields: [{ key: 'merchant_id', value: 'invalid' }] })
const fraud = await addAntiFraudService(railyard, shop)
await addGiftCardService(railyard, shop)
const routes: Record<string, string[]> = {
  refused: [refusing, second],
  both: [shop.paymentServiceId, second],
}
const items = Object.entries(routes).map(([way, services]) => ({
  display_name: way,
  action: 'route-transaction',
  condition: { field: 'metadata.way', operator: 'is', value: way },
  outcome: { attempts: services.map((payment_service_id) => ({ payment_service_id })) },
}))
expect(await shop.put('/flows/card-transaction/rules', { items })).toMatchObject({ status: 200 })
expect(await shop.post('/flows/card-transaction/rules/publish', {})).toMatchObject({ status: 200 })
afterAll(async () => {
  // what a delay held back has arrived by now, and changed nothing
  await expectSteps(railyard, shop.account)
})

const cards = { challenged: '4111111111181072', trusted: '4111111111101203' }
const captured = { intent: 'capture' }
const giftCard = (pin: string) => ({ gift_cards: [{ ...newGiftCard(pin), amount: 5_00 }] })

interface Life {
  name: string
  /** What goes wrong on the way; each in a run of its own. */
  strikes: FaultItem['operation'][]
  card: keyof typeof cards
  way: 'both' | 'refused'
  amount?: number
  more?: () => object
  /** What a person decides of it, where the anti-fraud service holds it. */
  verdict?: 'ACCEPT' | 'REJECT'
}

const lives: Life[] = [
  {
    name: 'asked nobody, authorized',
    strikes: ['screening', 'versioning', 'authentication', 'authorize'],
    card: 'trusted',
    way: 'both',
  },
  {
    name: 'asked nobody, captured',
    strikes: ['versioning', 'sale'],
    card: 'trusted',
    way: 'both',
    more: () => captured,
  },
  {
    name: 'challenged, authorized',
    strikes: ['authentication', 'page', 'challenge_result', 'find', 'authorize'],
    card: 'challenged',
    way: 'both',
  },
  {
    name: 'challenged, captured',
    strikes: ['challenge_result', 'sale'],
    card: 'challenged',
    way: 'both',
    more: () => captured,
  },
  {
    name: 'challenged once one has refused',
    strikes: ['authentication', 'find', 'authorize'],
    card: 'challenged',
    way: 'refused',
  },
  {
    name: 'challenged, and then everybody refuses',
    strikes: ['authorize'],
    card: 'challenged',
    way: 'both',
    amount: 200012,
  },
  {
    name: 'challenged, shared with a gift card',
    strikes: ['authorize', 'redeem', 'capture'],
    card: 'challenged',
    way: 'both',
    more: () => ({ ...captured, ...giftCard('05000') }),
  },
  {
    name: 'challenged, and the gift card refuses',
    strikes: ['redeem', 'void'],
    card: 'challenged',
    way: 'both',
    more: () => ({ ...captured, ...giftCard('01') }),
  },
  {
    name: 'held for review, challenged, accepted',
    strikes: ['screening', 'authorize', 'capture'],
    card: 'challenged',
    way: 'both',
    more: () => ({ ...captured, buyer: buyerScreenedAs('review') }),
    verdict: 'ACCEPT',
  },
  {
    name: 'held for review, rejected',
    strikes: ['authorize', 'void'],
    card: 'trusted',
    way: 'both',
    more: () => ({ ...captured, buyer: buyerScreenedAs('review') }),
    verdict: 'REJECT',
  },
]

/**
 * One of each that is told apart here: an answer that is reset, malformed or empty is a lost one
 * (`src/connectors/wire/http.ts`), and `test/lab/matrix.test.ts` has them all.
 */
const kinds: Pick<FaultItem, 'kind' | 'delay_ms'>[] = [
  { kind: 'delay', delay_ms: 800 },
  ...(['error', 'reset', 'duplicate', 'outage'] satisfies FaultKind[]).map((kind) => ({ kind })),
]

/**
 * Sends the payment, answers its challenge, decides its review. Answers how to ask for it again, and what it
 * was answered first.
 */
async function live({ card: of, way, amount = 30_00, more, verdict }: Life) {
  const key = { 'idempotency-key': randomUUID() }
  const payment_method = { ...card, number: cards[of], redirect_url: 'https://shop.example/done' }
  const body = { payment_method, metadata: { way }, ...more?.() }
  const first = await shop.pay(amount, body, key)
  expect(first).toMatchObject({ status: 201 })
  const page: string | null = first.body.payment_method.approval_url
  if (page) await retryVisit(() => challenge(railyard, page))
  if (verdict) await fraud.decides(first.body.id, verdict)
  return { first, again: () => shop.pay(amount, body, key), id: String(first.body.id) }
}

/** Nothing that has failed at us may have moved money: asked at once, while the fault still lasts. */
async function neverFailedWhileMoved(): Promise<void> {
  const { operations, gift_cards: giftCards } = await booksOf(railyard)
  const moved = [...operations, ...giftCards.operations]
    .filter(({ status }) => status === 'approved')
    .map(({ key }) => key)
  const ours = await railyard.world.run(
    `select id, kind, status from operations where id = any($1) and status in ('failed', 'declined')`,
    [moved],
  )
  expect(ours).toEqual([])
}

/** Recovery, with a cardholder who comes back in between, until the time of the challenge is over. */
async function untilDecided(id: string): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await recoverFully(railyard)
    const { status, pending_review: isHeld } = await readTransaction(railyard.world, shop.account, id)
    if (!isHeld && !/pending|processing/.test(status)) return
    await shop.payment(id).sync()
  }
  railyard.clock.advance(3_700_000)
  await recoverFully(railyard)
}

async function expectWhole(lived: readonly Awaited<ReturnType<typeof live>>[]): Promise<void> {
  for (const { id } of lived) await untilDecided(id)
  await neverFailedWhileMoved()
  await expectSteps(railyard, shop.account)
  for (const { id, first, again } of lived) {
    expect((await readTransaction(railyard.world, shop.account, id)).status).not.toMatch(/processing|pending/)
    expect(await again()).toMatchObject({ status: first.status, body: first.body })
  }
}

/** One that refuses everything refuses to be asked about it, too. */
const target = (operation: FaultItem['operation'], { way }: Life) =>
  way === 'refused' && operation === 'authorize' ? { operation, payment_service_id: second } : { operation }

describe.each(lives)('$name', (of) => {
  test.each(of.strikes)('is whole or nothing, whatever goes wrong with %s', async (operation) => {
    const lived: Awaited<ReturnType<typeof live>>[] = []
    for (const fault of kinds.filter(({ kind }) => operation !== 'screening' || kind !== 'duplicate')) {
      await injectFaults(railyard, { ...target(operation, of), ...fault, times: 1 })
      lived.push(await live(of))
      await neverFailedWhileMoved()
    }
    await expectWhole(lived)
  })
})

const money = lives.filter(({ strikes }) =>
  strikes.some((operation) => operation === 'authorize' || operation === 'sale'),
)

test.each(money)(
  '$name: with every answer about the money lost and no look into the books, nothing is decided wrongly; then the truth',
  async (of) => {
    const away: FaultItem[] = (['authorize', 'sale', 'capture', 'void'] as const).map((operation) => ({
      ...target(operation, of),
      kind: 'lost',
    }))
    await injectFaults(railyard, ...away)
    const lived = await live(of)
    const blind = (['find', 'close'] as const).map((operation) => ({ operation, kind: 'outage' as const }))
    await injectFaults(railyard, ...away, ...blind)
    for (let pass = 0; pass < 3; pass++) {
      railyard.clock.advance(40_000)
      await railyard.recovery.runOnce()
      await neverFailedWhileMoved()
    }
    await expectWhole([lived])
  },
)
