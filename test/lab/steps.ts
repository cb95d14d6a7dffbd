import { markEventLog } from '../../src/database/logs/event-log.ts'
import { updateColumns } from '../../src/insights/columns/update-columns.ts'
import type { FaultItem } from '../../src/sandbox/faults/fault.schema.ts'
import { faultItemProblems } from '../../src/sandbox/faults/validate-fault.ts'
import { actConcurrently, anyDispute, sendTwice } from './concurrent-actions.ts'
import { storyFaults } from './coverage.ts'
import { issueOrActivateTwice, payWithOneGiftCard } from './gift-card-steps.ts'
import { networkFaults } from './network.ts'
import { beginReading, continueReading } from './readers.ts'
import { decide, followUp, lookAround, notify, OVERDUE_MS, pay, payOut, recover, repeat } from './requests.ts'
import { backUp, restore } from './restore.ts'
import { recoveryPoints, type StopPoint, stopPoints } from './stop-points.ts'
import type { Story } from './story.ts'

type Step = (timeline: Story) => Promise<string>

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The time after which an authorization has expired. */
const AUTHORIZATION_MS = 8 * 24 * HOUR_MS

/** A request that moves money unless it is refused. */
const moneyRequest: Step = (timeline) => {
  const { chance, payments } = timeline
  if (payments.length === 0 || chance.odds(0.35)) return chance.odds(0.2) ? payOut(timeline) : pay(timeline)
  return followUp(timeline)
}

const faultyOperations = [
  '*',
  '*',
  'authorize',
  'sale',
  'capture',
  'void',
  'increment',
  'refund',
  'payout',
  'find',
  'close',
  'redeem',
  'reverse',
] as const

function fault({ chance }: Story): FaultItem {
  const kind = chance.pick(storyFaults)
  const operation =
    kind === 'decline'
      ? chance.pick(['authorize', 'sale', 'capture', 'refund', 'payout'] as const)
      : chance.pick(faultyOperations)
  return possible({
    operation,
    kind,
    ...(chance.odds(0.5) ? { times: chance.between(1, 3) } : { probability: 0.3 }),
    ...(kind === 'rate_limit' && { per_second: chance.between(0, 1) }),
    ...(chance.odds(0.2) && { bin_from: '420000', bin_to: '429999' }),
    ...(chance.odds(0.2) && { starts_in: chance.between(0, 300) }),
    ...(chance.odds(0.4) && { ends_in: `PT${chance.between(1, 90)}M` }),
  })
}

/**
 * The fault without members that make it impossible, which the API refuses: card digits for an operation
 * without a card, a window that ends before it starts.
 */
function possible(item: FaultItem): FaultItem {
  const { bin_from, bin_to, starts_in, ...rest } = item
  const problems = faultItemProblems(item, 0)
  const isEmpty = '/ends_in' in problems
  return {
    ...rest,
    ...(bin_from !== undefined && bin_to !== undefined && !('/bin_from' in problems) && { bin_from, bin_to }),
    ...(starts_in !== undefined && !isEmpty && { starts_in }),
  }
}

/** Sets the payment services' faults, and counts how often the previous ones were applied. */
export async function setFaults({ stage, coverage }: Story, items: FaultItem[], seed = 0): Promise<void> {
  const url = `${stage.railyard.simulatorUrl}/faults`
  const before: { items: (FaultItem & { struck: number })[] } = JSON.parse(await (await fetch(url)).text())
  for (const { kind, struck } of before.items) coverage.hit(`fault: ${kind}`, struck)
  const answer = await fetch(url, { method: 'PUT', body: JSON.stringify({ items, seed }) })
  if (answer.status !== 200) throw new Error(`the simulator refused the faults: ${await answer.text()}`)
}

const faultsChange: Step = async (timeline) => {
  const { chance, stage } = timeline
  const items = chance.odds(0.2) ? [] : Array.from({ length: chance.between(1, 3) }, () => fault(timeline))
  await setFaults(timeline, items, chance.between(0, 2 ** 31))
  stage.network.mend()
  const network = chance.odds(0.7) ? chance.pick(networkFaults) : undefined
  if (network) stage.network.strike(network, chance.between(1, 2), chance.between(0, 1))
  const named = items.map(
    ({ operation, kind, times, probability }) =>
      `${kind} of ${operation} ${times ? `×${times}` : probability}`,
  )
  return `payment services: ${named.join(', ') || 'well'}; network: ${network ?? 'well'}`
}

const timePasses: Step = async ({ chance, stage, coverage }) => {
  const isBack = chance.odds(0.1)
  const ms = isBack
    ? -chance.between(1, HOUR_MS)
    : chance.pick([
        chance.between(1, 10_000),
        chance.between(10_000, OVERDUE_MS),
        chance.between(OVERDUE_MS, HOUR_MS),
        chance.between(HOUR_MS, 12 * HOUR_MS),
        ...(chance.odds(0.2) ? [AUTHORIZATION_MS] : []),
      ])
  stage.clock.advance(ms)
  coverage.hit(`clock: ${isBack ? 'back' : 'forward'}`)
  return `${Math.round(ms / 1_000)} s pass`
}

const lateArrival: Step = async ({ stage, coverage }) => {
  const arrived = await stage.network.deliverLate()
  coverage.hit('late: delivered', arrived)
  return `${arrived} late requests arrive`
}

async function deathAt(timeline: Story, point: StopPoint): Promise<string> {
  const { coverage, stage } = timeline
  stage.points.dieAt(point)
  const what = await moneyRequest(timeline)
  const isHit = stage.points.disarm()
  stage.points.revive()
  if (isHit) coverage.hit(`death in a request: ${point}`)
  await lookAround(timeline)
  return `${isHit ? `dies ${point}` : 'lives'}: ${what}`
}

const death: Step = (timeline) => deathAt(timeline, timeline.chance.pick(stopPoints))

/** A request mostly dies, and then recovery dies over the rest. */
const deathInRecovery: Step = async (timeline) => {
  const { chance, coverage, stage } = timeline
  const left = chance.odds(0.8)
    ? await deathAt(
        timeline,
        chance.pick(['after intend', 'before send', 'after send', 'before record'] as const),
      )
    : 'no process died'
  const point = chance.pick(recoveryPoints)
  stage.clock.advance(OVERDUE_MS)
  stage.points.dieAt(point)
  await stage.recover().catch(() => undefined)
  const isHit = stage.points.disarm()
  stage.points.revive()
  if (isHit) coverage.hit(`death in recovery: ${point}`)
  return `${left}; recovery ${isHit ? `dies ${point}` : 'lives'}`
}

/** While a request or recovery waits somewhere, others pass it, and its deadline may pass too. */
const stall: Step = async (timeline) => {
  const { chance, coverage, stage, payments } = timeline
  const isRecovery = chance.odds(0.25)
  const point = chance.pick(isRecovery ? recoveryPoints : stopPoints)
  const meanwhile = Array.from({ length: chance.between(1, 3) }, () =>
    chance.pick(['request', 'recovery', 'notification'] as const),
  )
  if (isRecovery) {
    // mostly there is an operation to continue
    await pay(timeline)
    stage.clock.advance(OVERDUE_MS)
  }
  const { isHeld, work } = await stage.points.hold(point, () =>
    isRecovery
      ? recover(timeline)
      : payments.length > 0 && chance.odds(0.7)
        ? followUp(timeline)
        : pay(timeline),
  )
  if (!isHeld) return `nothing waits: ${await work}`
  coverage.hit(`stalled${isRecovery ? ' in recovery' : ''}: ${point}`)
  const others: string[] = []
  for (const next of meanwhile) {
    if (next === 'recovery') stage.clock.advance(OVERDUE_MS)
    if (next === 'notification') others.push(await notification(timeline))
    else
      others.push(
        next === 'recovery' || payments.length === 0 ? await recover(timeline) : await followUp(timeline),
      )
  }
  stage.points.goOn()
  const what = await work
  return `waits ${point}: ${what}; meanwhile ${others.join('; ')}`
}

/**
 * A notification: of an earlier operation, a repeated one, of an unknown operation, or another merchant's.
 * Its content is never trusted.
 */
const notification: Step = async (timeline) => {
  const { chance, coverage, merchant, stage } = timeline
  const known = await stage.railyard.world.run<{ id: string; kind: string }>(
    `select id, kind from operations where merchant_account_id = $1 and payment_service_id = $2 order by id`,
    [merchant.account, merchant.card],
  )
  const kind = chance.pick(['genuine', 'genuine', 'duplicate', 'forged', "another merchant's"] as const)
  if (known.length === 0) return 'no operation has a notification'
  const { id, kind: of } = chance.pick(known)
  coverage.hit(`notification: ${kind}`)
  if (kind === 'forged') return `forged: ${await notify(`${merchant.cardWebhook}x`, id)}`
  if (kind === "another merchant's") {
    const answers = [
      await notify(merchant.cardWebhook, stage.stranger.operation),
      await notify(stage.stranger.cardWebhook, id),
    ]
    return `of another merchant: ${answers}`
  }
  const answers = [
    await notify(merchant.cardWebhook, id),
    ...(kind === 'duplicate' ? [await notify(merchant.cardWebhook, id)] : []),
  ]
  return `notified of ${of}: ${answers}`
}

/** A process whose clock is minutes off the database server's takes a request or recovers. */
const anotherClock: Step = async (timeline) => {
  const { chance, coverage, stage } = timeline
  const ms = chance.pick([-1, 1]) * chance.between(MINUTE_MS, 10 * MINUTE_MS)
  coverage.hit(`a process's clock: ${ms < 0 ? 'behind' : 'ahead'}`)
  const work = chance.odds(0.2) ? recover : moneyRequest
  return `at a clock ${Math.round(ms / 1_000)} s off: ${await stage.databaseClock.withClockOff(ms, () => work(timeline))}`
}

/** The other background rounds of a process. */
const rounds: Step = async ({ stage }) => {
  const { world } = stage.railyard
  await markEventLog(world)
  await updateColumns(world)
  return "the log is marked, and the explorer's columns are kept"
}

const followsUp: Step = (timeline) => (timeline.payments.length === 0 ? pay(timeline) : followUp(timeline))

/** The weight of each step. */
const steps: readonly (readonly [number, Step])[] = [
  [14, pay],
  [26, followsUp],
  [4, payOut],
  [6, decide],
  [3, repeat],
  [13, faultsChange],
  [10, timePasses],
  [7, recover],
  [9, death],
  [6, deathInRecovery],
  [8, stall],
  [5, notification],
  [4, lateArrival],
  [14, actConcurrently],
  [6, sendTwice],
  [5, payWithOneGiftCard],
  [3, issueOrActivateTwice],
  [8, anyDispute],
  [5, anotherClock],
  [5, beginReading],
  [5, continueReading],
  [6, rounds],
  [4, backUp],
  [5, restore],
]

/** A random step. */
export function anyStep({ chance }: Story): Step {
  const total = steps.reduce((sum, [weight]) => sum + weight, 0)
  let drawn = chance.between(1, total)
  for (const [weight, step] of steps) {
    drawn -= weight
    if (drawn <= 0) return step
  }
  return pay
}
