import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { addAntiFraudService, buyerScreenedAs } from '../../test/support/domains/anti-fraud.ts'
import {
  crashingWorld,
  enteredCard,
  expectConsistentLink,
  type SentLink,
  sendLink,
} from '../../test/support/domains/payment-links.ts'
import { challenge, requireAuthentication } from '../../test/support/domains/secure-shop.ts'
import { buyerAt, goTo, openWalletShop, pageOf } from '../../test/support/domains/wallet.ts'
import { expectSteps, retryVisit } from '../../test/support/payment-steps.ts'
import { injectFaults, recoverFully } from '../../test/support/provider.ts'
import { card } from '../../test/support/railyard.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import type { FaultItem } from '../sandbox/faults/fault.schema.ts'

const railyard = await startRailyardForFile({ PROVIDER_TIMEOUT_MS: '150' })
const shop = await openWalletShop(railyard)
await requireAuthentication(railyard, shop, shop.paymentServiceId)
const fraud = await addAntiFraudService(railyard, shop)
afterAll(() => expectSteps(railyard, shop.account))

const numbers = { trusted: '4111111111101203', challenged: '4111111111181072' }

/** One buyer's attempt to pay the link, and what happens to it afterwards. */
const attemptArbitrary = fc.record({
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
  // the statement at which the process dies, if it does
  dies: fc.option(fc.record({ at: fc.integer({ min: 1, max: 16 }), committed: fc.boolean() })),
  afterwards: fc.constantFrom('nothing', 'cancel', 'void', 'capture', 'reject', 'sync', 'expire', 'time'),
})
type Attempt = typeof attemptArbitrary extends fc.Arbitrary<infer A> ? A : never

const link = fc.record({
  amount: fc.constantFrom(30_00, 2_000_11),
  intent: fc.constantFrom('authorize', 'capture'),
  buyer: fc.constantFrom('accept', 'accept', 'review', 'reject'),
  minutes: fc.constantFrom(5, 600),
})

async function payAs(sent: SentLink, { pays, answer, dies }: Attempt): Promise<void> {
  const server = dies ? crashingWorld(railyard.world, dies.at, dies.committed) : railyard.world
  const method =
    pays === 'wallet'
      ? ({ method: 'wallet' } as const)
      : await enteredCard(railyard, shop, { ...card, number: numbers[pays] })
  // a refusal is no failure of the test, which checks the rows
  const payment = await sent.pay(method, {}, server).catch(() => undefined)
  if (payment?.status !== 'buyer_approval_pending' || answer === 'leave') return
  if (pays === 'wallet') {
    const buyer = buyerAt(
      pageOf(railyard, shop.walletServiceId, payment.payment_service_transaction_id ?? ''),
    )
    return retryVisit(async () => goTo(await (answer === 'confirm' ? buyer.approve() : buyer.cancel())))
  }
  return retryVisit(() => challenge(railyard, payment.approval?.url ?? '', answer))
}

/**
 * What the merchant does, or time, after an attempt; much of it is refused. Answers whether it has expired
 * the link.
 */
async function actAfterwards(action: Attempt['afterwards'], sent: SentLink): Promise<boolean> {
  const [last] = (await shop.get(`/transactions?payment_link_id=${sent.id}`)).body.items
  const payment = last && shop.payment(last.id)
  if (action === 'expire') return (await sent.expire()).status === 204
  if (action === 'time') {
    railyard.clock.advance(400_000)
    await railyard.paymentLinks.runOnce()
    await railyard.recovery.runOnce()
  } else if (payment && action === 'reject') await fraud.decides(payment.id, 'REJECT')
  else if (payment && action !== 'nothing' && action !== 'reject') await payment[action]()
  return false
}

test('a link’s status follows from its payments at every moment, whatever buyers, merchants, providers and crashes do', async () => {
  const life = async (
    terms: { amount: number; intent: string; buyer: string; minutes: number },
    attempts: Attempt[],
  ) => {
    await injectFaults(railyard)
    const expires_at = new Date(railyard.clock.now() + terms.minutes * 60_000).toISOString()
    const sent = await sendLink(railyard, shop, {
      amount: terms.amount,
      intent: terms.intent,
      buyer: buyerScreenedAs(terms.buyer),
      expires_at,
    })
    let ended = false
    for (const attempt of attempts) {
      await injectFaults(railyard, ...(attempt.fault ? [attempt.fault] : []))
      await payAs(sent, attempt)
      await expectConsistentLink(railyard, sent, ended)
      ended = (await actAfterwards(attempt.afterwards, sent)) || ended
      await expectConsistentLink(railyard, sent, ended)
    }
    await recoverFully(railyard)
    // for a buyer who never answers the approval
    railyard.clock.advance(3_700_000)
    await recoverFully(railyard)
    await expectConsistentLink(railyard, sent, ended)
    expect(await sent.read()).toMatchObject({
      status: expect.stringMatching(/^(?:active|completed|expired)$/),
    })
  }
  await fc.assert(fc.asyncProperty(link, fc.array(attemptArbitrary, { minLength: 1, maxLength: 3 }), life), {
    numRuns: 15,
  })
})
