import { createHash } from 'node:crypto'
import type { Chance } from '../crash/chance.ts'
import type { Shown } from '../crash/oracle.ts'
import type { Answer } from '../support/railyard.ts'
import type { Coverage } from './coverage.ts'
import { violations } from './invariants.ts'
import type { FeedReader } from './readers.ts'
import type { Backup, Lost } from './restore.ts'
import { snapshot } from './snapshot.ts'
import type { Merchant, Stage } from './stage.ts'

/** A request under an idempotency key. */
export interface KeyedRequest {
  path: string
  body: unknown
  key: string
  status: number
  text: string
}

/** A payment that the merchant knows. */
export interface Known {
  name: string
  id: string
  amount: number
  /** The buyer's page at the payment service while an approval is pending. */
  page: string | null
}

/** The state of one seed's story. */
export interface Story {
  stage: Stage
  merchant: Merchant
  chance: Chance
  coverage: Coverage
  /** The trace, without ids and times: the same for the same seed. */
  lines: string[]
  payments: Known[]
  acknowledged: Map<string, Shown>
  keyed: KeyedRequest[]
  readers: FeedReader[]
  /** Undefined: there is no backup, or it was just restored. */
  backup: Backup | undefined
  lost: Lost
  /** Makes text that is the same for the same seed. */
  next(): string
}

/** An invariant is violated after a step. */
export class Violation extends Error {}

export function beginStory(stage: Stage, merchant: Merchant, chance: Chance, coverage: Coverage): Story {
  let drawn = 0
  const { account } = merchant
  return {
    stage,
    merchant,
    chance,
    coverage,
    lines: [],
    payments: [],
    acknowledged: new Map(),
    keyed: [],
    readers: [],
    backup: undefined,
    lost: { operations: new Set(), transactions: new Set() },
    next() {
      drawn += 1
      return `${account}-${drawn}`
    },
  }
}

export const traceHash = ({ lines }: Pick<Story, 'lines'>): string =>
  createHash('sha256').update(lines.join('\n')).digest('hex')

/** Sends a merchant's request and records its answer in the trace. */
export async function sendRequest(
  timeline: Story,
  path: string,
  body: object | undefined,
  { keyed = false } = {},
): Promise<Answer> {
  const key = keyed ? timeline.next() : undefined
  const answer = await timeline.merchant.post(
    path,
    body,
    key === undefined ? undefined : { 'idempotency-key': key },
  )
  // a 5xx has no outcome and is not stored under the key
  if (key !== undefined && answer.status < 500)
    timeline.keyed.push({ path, body, key, status: answer.status, text: JSON.stringify(answer.body) })
  recordAnswer(timeline, answer)
  return answer
}

/** Records the merchant's answer about a transaction as acknowledged. */
export function recordAnswer({ acknowledged, lost }: Story, { status, body }: Answer): void {
  if (status < 300 && body?.type === 'transaction' && !lost.transactions.has(body.id))
    acknowledged.set(body.id, body)
}

/** The part of an answer that is the same for the same seed. */
export const answerSummary = ({ status, body }: Answer): string =>
  [status, body?.status ?? body?.code, body?.error_code]
    .filter((part) => part !== null && part !== undefined)
    .join(' ')

/** Throws `Violation` with the violated invariants. */
export async function checkInvariants(timeline: Story): Promise<void> {
  const now = await snapshot(timeline.stage, timeline.merchant, timeline.lost)
  const found = [...violations(now, timeline.acknowledged), ...timeline.stage.refunds.takeViolations()]
  if (found.length > 0) throw new Violation(found.join('\n'))
}
