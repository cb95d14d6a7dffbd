import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs, type ScreeningServiceOfTest } from '../../test/support/domains/anti-fraud.ts'
import { crashingWorld, enteredCard, expectConsistentLink, type SentLink, sendLink } from '../../test/support/domains/payment-links.ts'
import { challenge, requireAuthentication } from '../../test/support/domains/secure-shop.ts'
import { buyerAt, goTo, openWalletShop, pageOf, type WalletShop } from '../../test/support/domains/wallet.ts'
import { expectSteps, retryVisit } from '../../test/support/payment-steps.ts'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import { card, startTestRailyard, type TestRailyard } from '../../test/support/railyard.ts'
import type { FaultItem } from '../sandbox/faults/fault.schema.ts'

let railyard: TestRailyard
let shop: WalletShop
let fraud: ScreeningServiceOfTest

beforeAll(async () => {
  railyard = await startTestRailyard({ PROVIDER_TIMEOUT_MS: '150' })
  shop = await openWalletShop(railyard)
  await requireAuthentication(railyard, shop, shop.paymentServiceId)
  fraud = await addAntiFraudService(railyard, shop)
})
afterAll(async () => {
  await expectSteps(railyard, shop.account)
  await railyard.close()
})

const numbers = { trusted: '4111111111101203', challenged: '4111111111181072' }

/** One buyer's try to pay the link, and what becomes of it afterwards. */
const attempt = fc.record({
  pays: fc.constantFrom('trusted', 'challenged', 'wallet'),
  answer: fc.constantFrom('confirm', 'decline', 'leave'),
  fault: fc.option(
    fc.record({
      operation: fc.constantFrom<FaultItem['operation']>(
        'screening',
        'authentication',
        'challenge_result',
        'approval',
        'authorize',
        'sale',
        'void',
        'find',
      ),
      kind: fc.constantFrom<FaultItem['kind']>('error', 'lost', 'reset', 'malformed', 'outage'),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  ),
  // with which of its statements the process dies, if it does
  dies: fc.option(fc.record({ at: fc.integer({ min: 1, max: 16 }), committed: fc.boolean() })),
  afterwards: fc.constantFrom('nothing', 'cancel', 'void', 'capture', 'reject', 'sync', 'expire', 'time'),
})
type Attempt = typeof attempt extends fc.Arbitrary<infer A> ? A : never

const link = fc.record({
  amount: fc.constantFrom(30_00, 2_000_11),
  intent: fc.constantFrom('authorize', 'capture'),
  buyer: fc.constantFrom('accept', 'accept', 'review', 'reject'),
  minutes: fc.constantFrom(5, 600),
})

async function payAs(sent: SentLink, { pays, answer, dies }: Attempt): Promise<void> {
  const server = dies ? crashingWorld(railyard.world, dies.at, dies.committed) : railyard.world
  const method = pays === 'wallet' ? ({ method: 'wallet' } as const) : await enteredCard(railyard, shop, { ...card, number: numbers[pays] })
  // whatever it is refused with, the rows say what is true
  const payment = await sent.pay(method, {}, server).catch(() => undefined)
  if (payment?.status !== 'buyer_approval_pending' || answer === 'leave') return
  if (pays === 'wallet') {
    const buyer = buyerAt(pageOf(railyard, shop.walletServiceId, payment.payment_service_transaction_id ?? ''))
    return retryVisit(async () => goTo(await (answer === 'confirm' ? buyer.approve() : buyer.cancel())))
  }
  return retryVisit(() => challenge(railyard, payment.approval?.url ?? '', answer))
}

/** What the merchant, or the time, does to what is there now; much of it is refused. Answers whether the link has ended by that. */
async function happens(what: Attempt['afterwards'], sent: SentLink): Promise<boolean> {
  const [last] = (await shop.get(`/transactions?payment_link_id=${sent.id}`)).body.items
  const payment = last && shop.payment(last.id)
  if (what === 'expire') return (await sent.expire()).status === 204
  if (what === 'time') {
    railyard.clock.advance(400_000)
    await railyard.paymentLinks.runOnce()
    await railyard.recovery.runOnce()
  } else if (payment && what === 'reject') await fraud.decides(payment.id, 'REJECT')
  else if (payment && what !== 'nothing' && what !== 'reject') await payment[what]()
  return false
}

test('whatever buyers, merchants, providers and deaths do to it, a link is what its payments say, at every moment', async () => {
  const life = async (terms: { amount: number; intent: string; buyer: string; minutes: number }, attempts: Attempt[]) => {
    await injectFaults(railyard)
    const expires_at = new Date(railyard.clock.now() + terms.minutes * 60_000).toISOString()
    const sent = await sendLink(railyard, shop, { amount: terms.amount, intent: terms.intent, buyer: buyerScreenedAs(terms.buyer), expires_at })
    let ended = false
    for (const one of attempts) {
      await injectFaults(railyard, ...(one.fault ? [one.fault] : []))
      await payAs(sent, one)
      await expectConsistentLink(railyard, sent, ended)
      ended = (await happens(one.afterwards, sent)) || ended
      await expectConsistentLink(railyard, sent, ended)
    }
    await recoverFully(railyard)
    // a buyer who was asked, and never answered
    railyard.clock.advance(3_700_000)
    await recoverFully(railyard)
    await expectConsistentLink(railyard, sent, ended)
    expect(await sent.read()).toMatchObject({ status: expect.stringMatching(/^(?:active|completed|expired)$/) })
  }
  await fc.assert(fc.asyncProperty(link, fc.array(attempt, { minLength: 1, maxLength: 3 }), life), { numRuns: 15 })
}, 120_000)
