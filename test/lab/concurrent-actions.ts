import { decideOn, followUpOf, lookAround, pay } from './requests.ts'
import { stopPoints } from './stop-points.ts'
import { answerSummary, type Known, type Story, sendRequest } from './story.ts'

/** Beyond the deadline of every request, and when pending operations are looked up again. */
const LOOKS_AFTER_MS = [120_000, 1_200_000]
/** Of an authorization or a sale that stays pending until it is looked up. */
const PENDING = 540_001
/** An authorization has expired by then. */
const AUTHORIZATION_MS = 8 * 86_400_000

interface Listed {
  id: string
  status: string
  disputed: boolean
}

/** The payments that the merchant knows, as they are now. */
async function listed({ merchant, payments }: Story): Promise<{ known: Known; now: Listed }[]> {
  const { items }: { items: Listed[] } = (await merchant.get('/transactions?limit=100')).body
  return payments.flatMap((known) => items.filter(({ id }) => id === known.id).map((now) => ({ known, now })))
}

/** The payment service reports of a payment that the buyer’s bank took money back, or gave it back, or that it was settled. */
async function dispute(timeline: Story, payment: Known, isDisputed: boolean): Promise<string> {
  const { chance, coverage } = timeline
  const event = isDisputed && chance.odds(0.6) ? 'dispute_reversed' : chance.pick(['disputed', 'disputed', 'settled'] as const)
  const amount = chance.odds(0.5) ? {} : { amount: chance.between(1, payment.amount) }
  const answer = await sendRequest(timeline, `/sandbox/transactions/${payment.id}/simulate`, { event, ...amount })
  if (answer.status === 200) coverage.hit(`report: ${event}`)
  return `${event} of ${payment.name}: ${answerSummary(answer)}`
}

export async function anyDispute(timeline: Story): Promise<string> {
  const captured = (await listed(timeline)).filter(({ now }) => now.status === 'capture_succeeded')
  if (captured.length === 0) return 'nothing can be disputed'
  const { known, now } = timeline.chance.pick(captured)
  return dispute(timeline, known, now.disputed)
}

/** What is done beside others, by what the payment is like. */
const inviting: Readonly<Record<string, readonly string[]>> = {
  processing: ['cancel', 'sync'],
  buyer_approval_pending: ['cancel', 'sync'],
  authorization_succeeded: ['capture', 'renewal', 'void', 'increment', 'sync'],
  capture_pending: ['sync', 'refund'],
  capture_succeeded: ['refund', 'refund', 'refund-all', 'forced-refund', 'capture', 'renewal', 'dispute'],
}
const anything = ['capture', 'renewal', 'void', 'cancel', 'sync', 'refund', 'dispute'] as const

const act = (timeline: Story, payment: Known, name: string): Promise<string> =>
  name === 'dispute' ? dispute(timeline, payment, timeline.chance.odds(0.3)) : followUpOf(timeline, payment, name)

/** A payment of a status that is as likely as any other; undefined: a new one. */
async function anyPayment(timeline: Story): Promise<{ known: Known; now: Listed } | undefined> {
  const { chance } = timeline
  const fitting = (await listed(timeline)).filter(({ now }) => Object.hasOwn(inviting, now.status))
  if (fitting.length === 0 || chance.odds(0.25)) return undefined
  const status = chance.pick([...new Set(fitting.map(({ now }) => now.status))])
  return chance.pick(fitting.filter(({ now }) => now.status === status))
}

/** A payment that the payment service has yet to decide, which a look into its books does; a wallet's cancellation releases one that was approved meanwhile. */
async function pendingPayment(timeline: Story): Promise<Known | undefined> {
  const { chance } = timeline
  const isWallet = chance.odds(0.75)
  await pay(timeline, { isWallet, amount: PENDING })
  const payment = timeline.payments.at(-1)
  if (isWallet && payment?.page) await decideOn(payment, 'approve', true)
  return payment
}

/**
 * A request about a payment waits at a point, and meanwhile other requests, reports and recovery are at work on the same payment: syncs, cancellations, renewals and
 * disputes are all beside another sender.
 */
export async function actConcurrently(timeline: Story): Promise<string> {
  const { chance, coverage, stage } = timeline
  const found = await anyPayment(timeline)
  const pending = !found && chance.odds(0.6) ? await pendingPayment(timeline) : undefined
  const chosen = found?.known ?? pending
  const isExpired = found?.now.status === 'authorization_succeeded' && chance.odds(0.4)
  if (chosen && isExpired) {
    // a part of it, so that what is left is renewed
    if (chance.odds(0.6))
      await sendRequest(timeline, `/transactions/${chosen.id}/capture`, { amount: chance.between(1, Math.ceil(chosen.amount * 0.7)), final: false })
    stage.clock.advance(AUTHORIZATION_MS)
  }
  const fitting = pending
    ? ['cancel', 'cancel', 'sync']
    : isExpired
      ? ['renewal', 'renewal', 'sync']
      : (inviting[found?.now.status ?? ''] ?? anything)
  const first = chosen ? chance.pick(fitting) : 'pay'
  stage.points.stallAt(chance.pick(stopPoints))
  const waiting = chosen ? act(timeline, chosen, first) : pay(timeline)
  const isStalled = await Promise.race([stage.points.stalled().then(() => true), waiting.then(() => false)])
  stage.points.disarm()
  if (!isStalled && !chosen) return `nothing waits: ${await waiting}`
  if (isStalled) coverage.hit(`beside another: ${first}`)
  // the payment that is being made stands in the list by now
  if (!chosen) await lookAround(timeline)
  const payment = chosen ?? timeline.payments.at(-1)
  const others: string[] = []
  for (let count = chance.between(1, 4); count > 0; count--) {
    const name = chance.odds(0.3) ? 'recovery' : chance.pick(chosen ? [...fitting, ...anything] : (['cancel', 'sync'] as const))
    if (name === 'recovery' || !payment) {
      stage.clock.advance(chance.pick(LOOKS_AFTER_MS))
      others.push(`recovery looks at ${await stage.recover()} operations`)
    } else others.push(await act(timeline, payment, name))
  }
  stage.points.goOn()
  return `${isStalled ? 'waits' : 'does not wait'}: ${await waiting}; beside it ${others.join('; ')}`
}
