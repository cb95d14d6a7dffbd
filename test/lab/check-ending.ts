import { auditChain } from '../../src/accounts/audit-log/audit-seal.ts'
import { sealAllLogs } from '../../src/background/seal-logs.ts'
import { verifyChain } from '../../src/database/logs/verify-chain.ts'
import { updateColumns } from '../../src/insights/columns/update-columns.ts'
import { journalChain } from '../../src/operations/journal/journal-chain.ts'
import { isOpen } from '../../src/operations/operation.ts'
import { verify } from '../../src/verify/verify.ts'
import { sameOperations, samePayments, sharedPayments } from '../crash/oracle.ts'
import { samePayouts } from '../crash/payouts.oracle.ts'
import { explorerDifferences } from '../support/checks/explorer-differences.ts'
import { readerFindings } from './readers.ts'
import { type Snapshot, snapshot } from './snapshot.ts'
import { setFaults } from './steps.ts'
import { type Story, Violation } from './story.ts'

/** Longer than recovery waits for anything, and longer than approvals last. */
const WHILE_MS = 4_000_000
const MAX_ROUNDS = 40

/**
 * Ends all faults and advances the clock until no operation is open. Returns the number of recovery's rounds.
 */
export async function resolve(timeline: Story): Promise<number> {
  const { stage, merchant } = timeline
  stage.network.mend()
  await setFaults(timeline, [])
  await stage.network.deliverLate()
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds++) {
    stage.clock.advance(WHILE_MS)
    await stage.recover()
    if (openOf(await snapshot(stage, merchant)).length === 0) return rounds
  }
  const left = openOf(await snapshot(stage, merchant)).map(
    ({ kind, id, status, checks }) => `${kind} ${id} is ${status} after ${checks} looks`,
  )
  throw new Violation(`everything is resolved in the end: ${left.join('\n')}`)
}

const openOf = ({ tables }: Snapshot) =>
  [...tables.operations.values()].filter(({ status }) => isOpen(status))

/** Without cancellations of unpaid orders, which have nothing to book. */
function withoutEmptyCancels({ tables, books }: Snapshot): Snapshot['tables'] {
  const paid = new Set(
    books.payments.values().map(({ opened_by }) => tables.operations.get(opened_by)?.transaction_id),
  )
  const operations = [...tables.operations].filter(
    ([, { kind, transaction_id }]) => kind !== 'cancel' || paid.has(transaction_id),
  )
  return { ...tables, operations: new Map(operations) }
}

/** Without authorizations whose void the payment service refused: the merchant may capture them. */
function withoutStuckHolds({ tables }: Snapshot): Snapshot['tables'] {
  const stuck = new Set(
    tables.operations
      .values()
      .flatMap(({ kind, status, transaction_id }) =>
        kind === 'void' && /declined|failed/.test(status) ? [transaction_id] : [],
      ),
  )
  return {
    ...tables,
    transactions: new Map(
      [...tables.transactions].filter(([id, { gift_cards }]) => gift_cards === null || !stuck.has(id)),
    ),
  }
}

/** The invariants of a merchant's money once everything is resolved, in addition to the permanent ones. */
const ofBooks = {
  'each operation came to the same in the books': (now) =>
    sameOperations(withoutEmptyCancels(now), now.books),
  'each payment has the amounts of the books': ({ tables, books }) => samePayments(tables, books),
  'each payout left as we say': ({ tables, books }) => samePayouts(tables, books),
  'what gift cards share is whole or undone': (now) => sharedPayments(withoutStuckHolds(now), now.books),
  'sums agree': ({ tables, books }) => {
    const sum = (items: Iterable<{ captured: number; refunded: number }>) => {
      const total = { captured: 0, refunded: 0 }
      for (const { captured, refunded } of items) {
        total.captured += captured
        total.refunded += refunded
      }
      return JSON.stringify(total)
    }
    const stored = sum(
      [...tables.transactions.values()].map((row) => ({
        captured: row.captured_amount,
        refunded: row.refunded_amount,
      })),
    )
    const booked = sum(books.payments.values())
    return stored === booked ? [] : [`${stored} in the tables, ${booked} in the books`]
  },
  'no card number is in the journal': ({ tables }) =>
    [...tables.operations.values()]
      .filter((row) => /4111111111111111|4242424242424242/.test(JSON.stringify(row)))
      .map(({ kind, id }) => `${kind} ${id}`),
} as const satisfies Record<string, (now: Snapshot) => string[]>

/** The invariants of the instance and of the merchant's answers then. */
const ofInstance = {
  'verify has nothing to say': async ({ stage }) =>
    (await verify(stage.railyard.world.run)).findings.map(
      (finding) => `${finding.transaction_id}: ${finding.problem}: ${finding.stored}, ${finding.computed}`,
    ),
  'the audit log and the journal are what was written': async ({ stage }) => {
    const { world } = stage.railyard
    await sealAllLogs(world)
    const verified = await Promise.all(
      [auditChain, journalChain].map(async (chain) => ({
        chain,
        ...(await verifyChain(world.run, world.cipher, chain)),
      })),
    )
    return verified.flatMap(({ chain, findings }) =>
      findings.map(({ account, link, problem }) => `${account}: ${chain.logName}: link ${link} ${problem}`),
    )
  },
  'readers of the feed have every event, in the order of the log': readerFindings,
  'the metrics explorer says what the payments are': ({ stage, merchant }) => {
    const { world } = stage.railyard
    return explorerDifferences({ world, insights: { runOnce: () => updateColumns(world) } }, merchant.account)
  },
  'no other merchant sees any of it': async ({ stage, payments }) => {
    const answers = await Promise.all(
      payments.slice(0, 3).map(({ id }) => stage.stranger.get(`/transactions/${id}`)),
    )
    return answers
      .filter(({ status }) => status !== 404)
      .map(({ status }) => `another merchant was answered ${status}`)
  },
  'a request under its key is answered as it was': async ({ keyed, merchant }) => {
    const found: string[] = []
    for (const { path, body, key, status, text } of keyed) {
      if (status >= 300) continue
      const again = await merchant.post(path, body, { 'idempotency-key': key })
      const same = again.status === status && JSON.stringify(again.body) === text
      if (!same)
        found.push(`${path} with key ${key} was answered ${text}, and then ${JSON.stringify(again.body)}`)
    }
    return found
  },
} as const satisfies Record<string, (timeline: Story) => Promise<string[]>>

export const endings = { books: ofBooks, instance: ofInstance }

export async function checkEnding(timeline: Story): Promise<void> {
  const now = await snapshot(timeline.stage, timeline.merchant, timeline.lost)
  const found: string[] = []
  for (const [name, check] of Object.entries(ofBooks))
    found.push(...check(now).map((text) => `${name}: ${text}`))
  for (const [name, check] of Object.entries(ofInstance))
    found.push(...(await check(timeline)).map((text) => `${name}: ${text}`))
  if (found.length > 0) throw new Violation(found.join('\n'))
}
