import type { Statements } from '../database/statements.ts'
import { recordedAsMade } from './audit.ts'
import {
  eventNumbers,
  eventsOfNothing,
  lastEventOfLink,
  lastEventOfOperation,
  lastEventOfPayout,
  lastEventOfTransaction,
  reviewAccepted,
} from './events.ts'
import { type Check, type Finding, MOST_FINDINGS } from './finding.ts'
import { answersOfKeys, forgottenKeys, keysOfNothing, unanswered } from './idempotency.ts'
import { chargesOfTwo, neverLookedAt, operationsOfNothing, operationsThemselves, renewed } from './operations.ts'
import { paymentLinks } from './payment-links.ts'
import { provisional } from './payment-methods.ts'
import { payouts } from './payouts.ts'
import { readTransactions } from './read-transactions.ts'
import { settled, settledNothing } from './settlements.ts'
import { findingsOf } from './transaction.ts'

export type { Finding } from './finding.ts'

export interface Verification {
  transactions: number
  payouts: number
  operations: number
  /** Operations whose outcome is not known yet: no error, as recovery is at it. */
  undecided: number
  findings: Finding[]
}

/** What some checks need to know of the service: what time it is, in milliseconds, and for how many days it keeps idempotency keys. */
export interface VerifiedService {
  now: number
  idempotencyRetention: number
}

/** Every transaction is what its operations make it, computed again by the code that made it. */
const transactions: Check = async (run) => {
  const findings = new Map<string, Finding[]>()
  for await (const transaction of readTransactions(run)) {
    for (const finding of findingsOf(transaction)) {
      const alike = findings.get(finding.problem) ?? []
      if (alike.length < MOST_FINDINGS) findings.set(finding.problem, [...alike, finding])
    }
  }
  return [...findings.values()].flat()
}

const checks: readonly Check[] = [
  transactions,
  operationsThemselves,
  operationsOfNothing,
  chargesOfTwo,
  renewed,
  payouts,
  provisional,
  paymentLinks,
  settled,
  settledNothing,
  eventNumbers,
  eventsOfNothing,
  lastEventOfTransaction,
  lastEventOfOperation,
  lastEventOfPayout,
  lastEventOfLink,
  reviewAccepted,
  keysOfNothing,
  answersOfKeys,
  unanswered,
  recordedAsMade,
]

const totals = `
select (select count(*) from transactions) as transactions, (select count(*) from payouts) as payouts, count(*) as operations,
       count(*) filter (where status in ('queued', 'sent', 'unknown')) as undecided
  from operations`

/** Proves DESIGN §1, 1 and 2, from the tables. `service`: where it is left out, what depends on the time is not looked at. */
export async function verify(run: Statements, service?: VerifiedService): Promise<Verification> {
  const timely = service ? [forgottenKeys(service), neverLookedAt(service)] : []
  const findings = await Promise.all([...checks, ...timely].map((look) => look(run)))
  const [counted] = await run<{ transactions: number; payouts: number; operations: number; undecided: number }>(totals, [])
  return { transactions: 0, payouts: 0, operations: 0, undecided: 0, ...counted, findings: findings.flat() }
}
