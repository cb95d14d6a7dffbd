import { decideOn, followUpOf, lookAround, notify, OVERDUE_MS, pay, recover } from './requests.ts'
import { recoveryPoints, stopPoints } from './stop-points.ts'
import { answerSummary, checkInvariants, type Known, type Story, sendRequest } from './story.ts'

/** Beyond the deadline of every request, and the time at which pending operations are looked up again. */
const LOOKS_AFTER_MS = [OVERDUE_MS, 1_200_000]
/** The amount of an authorization or a sale that stays pending until a lookup. */
const PENDING = 540_001
/** The time after which an authorization has expired. */
const AUTHORIZATION_MS = 8 * 86_400_000

interface Listed {
  id: string
  status: string
  disputed: boolean
}

/** The payments that the merchant knows, in their current state. */
async function listed({ merchant, payments }: Story): Promise<{ known: Known; now: Listed }[]> {
  const { items }: { items: Listed[] } = (await merchant.get('/transactions?limit=100')).body
  return payments.flatMap((known) => items.filter(({ id }) => id === known.id).map((now) => ({ known, now })))
}

/** A report with a dispute, a dispute reversal or a settlement of the payment. */
async function dispute(timeline: Story, payment: Known, isDisputed: boolean): Promise<string> {
  const { chance, coverage } = timeline
  const event =
    isDisputed && chance.odds(0.6)
      ? 'dispute_reversed'
      : chance.pick(['disputed', 'disputed', 'settled'] as const)
  const amount = chance.odds(0.5) ? {} : { amount: chance.between(1, payment.amount) }
  const answer = await sendRequest(timeline, `/sandbox/transactions/${payment.id}/simulate`, {
    event,
    ...amount,
  })
  if (answer.status === 200) coverage.hit(`report: ${event}`)
  return `${event} of ${payment.name}: ${answerSummary(answer)}`
}

export async function anyDispute(timeline: Story): Promise<string> {
  const captured = (await listed(timeline)).filter(({ now }) => now.status === 'capture_succeeded')
  if (captured.length === 0) return 'nothing can be disputed'
  const { known, now } = timeline.chance.pick(captured)
  return dispute(timeline, known, now.disputed)
}

/** The actions to run concurrently, by the payment's status. */
const inviting: Readonly<Record<string, readonly string[]>> = {
  processing: ['cancel', 'sync'],
  buyer_approval_pending: ['cancel', 'sync'],
  authorization_succeeded: ['capture', 'renewal', 'void', 'increment', 'sync'],
  capture_pending: ['sync', 'refund'],
  capture_succeeded: ['refund', 'refund', 'refund-all', 'forced-refund', 'capture', 'renewal', 'dispute'],
}
const anything = ['capture', 'renewal', 'void', 'cancel', 'sync', 'refund', 'dispute'] as const

const act = (timeline: Story, payment: Known, name: string): Promise<string> =>
  name === 'dispute'
    ? dispute(timeline, payment, timeline.chance.odds(0.3))
    : followUpOf(timeline, payment, name)

/** A payment with a random status; undefined: a new one. */
async function anyPayment(timeline: Story): Promise<{ known: Known; now: Listed } | undefined> {
  const { chance } = timeline
  const fitting = (await listed(timeline)).filter(({ now }) => Object.hasOwn(inviting, now.status))
  if (fitting.length === 0 || chance.odds(0.25)) return undefined
  const status = chance.pick([...new Set(fitting.map(({ now }) => now.status))])
  return chance.pick(fitting.filter(({ now }) => now.status === status))
}

/**
 * A payment that is pending at the payment service until it is looked up; a wallet's cancellation voids one
 * that was approved meanwhile.
 */
async function pendingPayment(timeline: Story): Promise<Known | undefined> {
  const { chance } = timeline
  const isWallet = chance.odds(0.75)
  await pay(timeline, { isWallet, amount: PENDING })
  const payment = timeline.payments.at(-1)
  if (isWallet && payment?.page) await decideOn(payment, 'approve', true)
  return payment
}

/**
 * Stops a request about a payment at a point while other requests, reports and recovery act on the same
 * payment: syncs, cancellations, renewals and disputes.
 */
export async function actConcurrently(timeline: Story): Promise<string> {
  const { chance, coverage, stage } = timeline
  const found = await anyPayment(timeline)
  const pending = !found && chance.odds(0.6) ? await pendingPayment(timeline) : undefined
  const chosen = found?.known ?? pending
  const isExpired = found?.now.status === 'authorization_succeeded' && chance.odds(0.4)
  if (chosen && isExpired) {
    // a partial capture, so that the rest is renewed
    if (chance.odds(0.6))
      await sendRequest(timeline, `/transactions/${chosen.id}/capture`, {
        amount: chance.between(1, Math.ceil(chosen.amount * 0.7)),
        final: false,
      })
    stage.clock.advance(AUTHORIZATION_MS)
  }
  const fitting = pending
    ? ['cancel', 'cancel', 'sync']
    : isExpired
      ? ['renewal', 'renewal', 'sync']
      : (inviting[found?.now.status ?? ''] ?? anything)
  const first = chosen ? chance.pick(fitting) : 'pay'
  const { isHeld, work } = await stage.points.hold(chance.pick(stopPoints), () =>
    chosen ? act(timeline, chosen, first) : pay(timeline),
  )
  if (!isHeld && !chosen) return `nothing waits: ${await work}`
  if (isHeld) coverage.hit(`beside another: ${first}`)
  // the payment that is being created is in the list by now
  if (!chosen) await lookAround(timeline)
  const payment = chosen ?? timeline.payments.at(-1)
  const others: string[] = []
  for (let count = chance.between(1, 4); count > 0; count--) {
    const name = chance.odds(0.3)
      ? 'recovery'
      : chance.pick(chosen ? [...fitting, ...anything] : (['cancel', 'sync'] as const))
    if (name === 'recovery' || !payment) {
      stage.clock.advance(chance.pick(LOOKS_AFTER_MS))
      others.push(await recover(timeline))
    } else others.push(await act(timeline, payment, name))
  }
  stage.points.goOn()
  return `${isHeld ? 'waits' : 'does not wait'}: ${await work}; beside it ${others.join('; ')}`
}

const refusals = ['connect refused', 'connect timeout', 'unauthorized'] as const

/**
 * Two senders of one capture, which wait at points of their own and go on in any order: the request that intended
 * it, or recovery, a sync or a notification that claims a queued one; and another of these three. What one sender is
 * refused may not undo what the other has sent.
 */
export async function sendTwice(timeline: Story): Promise<string> {
  const { chance, coverage, merchant, stage } = timeline
  const { points, network } = stage
  const isQueued = chance.odds(0.5)
  const paid = await pay(timeline, { isWallet: false, giftCards: [], isQueued })
  const payment = timeline.payments.at(-1)
  if (!payment) return `${paid}; there is nothing to capture`
  const senders = {
    request: () => followUpOf(timeline, payment, 'capture'),
    sync: () => followUpOf(timeline, payment, 'sync'),
    recovery: () => recover(timeline),
    async notification() {
      const [capture] = await stage.railyard.world.run<{ id: string }>(
        `select id from operations
          where merchant_account_id = $1 and transaction_id = $2 and kind = 'capture' order by id desc limit 1`,
        [merchant.account, payment.id],
      )
      return capture ? `notified: ${await notify(merchant.cardWebhook, capture.id)}` : 'there is no capture'
    },
  }
  const others = ['recovery', 'sync', 'notification'] as const
  const [first, second] = [isQueued ? chance.pick(others) : 'request', chance.pick(others)] as const
  const refusal = chance.odds(0.8) ? chance.pick(refusals) : undefined
  const isFirstRefused = refusal !== undefined && chance.odds(0.6)
  if (isFirstRefused) network.strike(refusal, 1, 0)
  // a refusal that is not recorded yet is what the second sender may make untrue
  const point = isFirstRefused && chance.odds(0.6) ? 'before record' : chance.pick(recoveryPoints)
  const earlier = await points.hold(point, senders[first])
  if (earlier.isHeld) coverage.hit(`second sender: ${second}`)
  if (refusal && !isFirstRefused) network.strike(refusal, 1, 0)
  if (chance.odds(0.85)) stage.clock.advance(chance.pick(LOOKS_AFTER_MS))
  const later = await points.hold(chance.pick(recoveryPoints), senders[second])
  const inOrder = chance.odds(0.7) ? [earlier, later] : [later, earlier]
  const what: string[] = []
  for (const { work, goOn } of inOrder) {
    goOn()
    what.push(await work)
    await checkInvariants(timeline)
  }
  network.mend()
  return `${paid}; ${isFirstRefused ? first : second} meets ${refusal ?? 'nothing'}; ${inOrder[0] === earlier ? 'in order' : 'the second first'}: ${what.join('; ')}`
}
