import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { OperationRow } from '../../../src/operations/operation.ts'
import { verify } from '../../../src/verify/verify.ts'
import type { ProviderShop } from '../../support/domains/provider-shop.ts'
import type { Payment } from '../../support/shop.ts'
import { openAdyenShopForFile } from './shop.ts'

const { adyen, fake } = await openAdyenShopForFile()

const MINUTE_MS = 60_000

type Act =
  | { act: 'capture' | 'refund'; amount: number }
  /** The provider takes the effect back that has this place among those that stand. */
  | { act: 'take back'; which: number }
  /** Notifications arrive: the newest first, and some of the earlier ones again. */
  | { act: 'deliver'; reversed: boolean; again: number }
  | { act: 'recover' }

const act = fc.oneof<fc.Arbitrary<Act>[]>(
  fc.record({
    act: fc.constantFrom('capture' as const, 'refund' as const),
    amount: fc.integer({ min: 1, max: 600 }),
  }),
  fc.record({ act: fc.constant('take back' as const), which: fc.nat(9) }),
  fc.record({ act: fc.constant('deliver' as const), reversed: fc.boolean(), again: fc.nat(4) }),
  fc.record({ act: fc.constant('recover' as const) }),
)

const operationsOf = ({ id }: Payment) =>
  adyen.railyard.world.run<Pick<OperationRow, 'id' | 'kind' | 'status'>>(
    'select id, kind, status from operations where transaction_id = $1 order by id',
    [id],
  )

/** What the provider's books say of a payment, and the captures and refunds that stand there. */
async function booksOf(payment: Payment, takenBack: ReadonlySet<string>) {
  const ids = (await operationsOf(payment)).map(({ id }) => id)
  const standing = fake
    .effects()
    .filter(({ key, kind }) => ids.includes(key) && kind !== 'authorize' && !takenBack.has(key))
  const sum = (kind: string) =>
    standing.filter((effect) => effect.kind === kind).reduce((total, { amount }) => total + amount, 0)
  return { standing, captured: sum('capture'), refunded: sum('refund') }
}

async function run(acts: readonly Act[]) {
  const payment = await adyen.shop.authorized(10_00, adyen.payment)
  await adyen.deliver()
  const takenBack = new Set<string>()
  const delivered: Awaited<ReturnType<ProviderShop['deliver']>> = []
  for (const each of acts) {
    switch (each.act) {
      case 'capture':
        await payment.capture({ amount: each.amount, final: false })
        break
      case 'refund':
        await payment.refund({ amount: each.amount })
        break
      case 'take back': {
        const { standing, captured, refunded } = await booksOf(payment, takenBack)
        const effect = standing[each.which % Math.max(1, standing.length)]
        // a provider keeps as much as it has given back
        if (!effect || (effect.kind === 'capture' && captured - effect.amount < refunded)) break
        takenBack.add(effect.key)
        fake.takeBack(effect.key)
        break
      }
      case 'deliver': {
        const due = fake.takeNotifications()
        delivered.push(...due)
        await adyen.deliver([...(each.reversed ? due.toReversed() : due), ...delivered.slice(-each.again)])
        break
      }
      case 'recover':
        await adyen.railyard.recovery.runOnce()
    }
  }
  for (let round = 0; round < 4; round += 1) {
    await adyen.settle()
    adyen.advance(11 * MINUTE_MS)
  }
  const { captured, refunded } = await booksOf(payment, takenBack)
  expect(await payment.read()).toMatchObject({ captured_amount: captured, refunded_amount: refunded })
  const failed = (await operationsOf(payment)).filter(({ kind }) => kind === 'late-failure')
  expect(failed.length).toBeLessThanOrEqual(takenBack.size)
}

test('the books of a provider that takes successes back agree with ours in the end', async () => {
  await fc.assert(fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), run), { numRuns: 60 })
  expect((await verify(adyen.railyard.world.run)).findings).toEqual([])
})
