import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../../test/support/domains/anti-fraud.ts'
import { withNetworkTokens } from '../../../test/support/domains/network-tokens.ts'
import { openWalletShop } from '../../../test/support/domains/wallet.ts'
import { expectBooksMatch } from '../../../test/support/provider.ts'
import { type Answer, card } from '../../../test/support/railyard.ts'
import { startShop } from '../../../test/support/start-shop.ts'
import { simulations } from './simulations.ts'

/** `SIMULATE_RUNS=200 npm test -- simulate.property` takes longer. */
const SEED = 20_261_122
const RUNS = Number(process.env['SIMULATE_RUNS'] ?? 6)
const { railyard, shop } = await startShop({
  comparesBooks: false,
  merchant: { settings: withNetworkTokens({ account_updater_enabled: true }) },
})
await addAntiFraudService(railyard, shop)
const wallet = await openWalletShop(railyard)

const events = Object.keys(simulations)

const payments = [
  () => shop.pay(10_00),
  () => shop.pay(600_000, { intent: 'capture', payment_method: card, store: true }),
  () => shop.pay(540_001),
  () => shop.pay(540_001, { intent: 'capture' }),
  () => shop.pay(10_00, { intent: 'capture', buyer: buyerScreenedAs('review') }),
  () => wallet.ask(10_00),
  () => wallet.ask(540_001, { intent: 'capture' }),
]
const actions = ['/capture', '/refunds', '/void', '/cancel', '/sync'] as const
const amounts = [1, 3_00, 500_003, 520_005, 520_001]

const takesAmount = new Set([
  '/capture',
  '/refunds',
  'settled',
  'refund_settled',
  'disputed',
  'dispute_reversed',
])

const step = fc.record({
  payment: fc.nat(99),
  does: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...events) },
    { weight: 1, arbitrary: fc.constantFrom(...actions) },
  ),
  /** The index of the fitting event that is simulated if this one does not fit. */
  instead: fc.nat(99),
  amount: fc.option(fc.constantFrom(...amounts), { nil: undefined }),
})

const fitting = ({ body }: Answer): string[] =>
  /These fit now: ([\w, ]+)/.exec(body.details?.[0]?.message)?.[1]?.split(', ') ?? []

test(
  'any events in any order keep the invariants, and the amounts agree with the books',
  async () => {
    const happened = new Set<string>()
    const ask = async (
      { id, merchant_account_id: account }: Answer['body'],
      does: string,
      amount: number | undefined,
    ) => {
      const isAction = does.startsWith('/')
      const given = takesAmount.has(does) && amount !== undefined ? { amount } : {}
      const body = isAction ? (takesAmount.has(does) ? given : undefined) : { event: does, ...given }
      const path = isAction ? `/transactions/${id}${does}` : `/sandbox/transactions/${id}/simulate`
      const answer = await (account === shop.account ? shop : wallet).post(path, body)
      if (!isAction && answer.status === 200) happened.add(does)
      expect({ does, isOurFault: answer.status >= 500, body: answer.body }).toMatchObject({
        isOurFault: false,
      })
      return answer
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...payments), { minLength: 2, maxLength: 4 }),
        fc.array(step, { minLength: 12, maxLength: 25 }),
        async (made, steps) => {
          const created: Answer['body'][] = []
          for (const pay of made) created.push((await pay()).body)
          for (const { payment, does, amount, instead } of steps) {
            const about = created[payment % created.length]
            const fits = fitting(await ask(about, does, amount))
            const other = fits[instead % fits.length]
            if (other !== undefined) await ask(about, other, amount)
          }
          for (const { account } of [shop, wallet]) await expectBooksMatch(railyard, account)
        },
      ),
      { seed: SEED, numRuns: RUNS },
    )
    // the generator also makes events that the API refuses
    for (const event of ['settled', 'disputed', 'completed', 'approved', 'expired'])
      expect(happened).toContain(event)
  },
  30_000 + RUNS * 10_000,
)
