import type { Statements } from '../database/statements.ts'
import { auditedResourcesExist } from './audit.ts'
import {
  eventNumbers,
  lastEventOfLink,
  lastEventOfOperation,
  lastEventOfPayout,
  lastEventOfTransaction,
  orphanEvents,
  reviewAccepted,
} from './events.ts'
import { type Finding, MAX_FINDINGS, type TableCheck } from './finding.ts'
import { missingAnswers, missingKeys, orphanKeys, storedAnswers } from './idempotency.ts'
import { capturedAfterRenewal, neverRecovered, operationInvariants, orphanOperations, sharedCharges } from './operations.ts'
import { paymentLinks } from './payment-links.ts'
import { provisionalMethods } from './payment-methods.ts'
import { payouts } from './payouts.ts'
import { readTransactions } from './read-transactions.ts'
import { orphanSettlements, settledAmounts } from './settlements.ts'
import { transactionFindings } from './transaction-findings.ts'

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
const transactions: TableCheck = async (run) => {
  const findings = new Map<string, Finding[]>()
  for await (const transaction of readTransactions(run)) {
    for (const finding of transactionFindings(transaction)) {
      const alike = findings.get(finding.problem) ?? []
      if (alike.length < MAX_FINDINGS) findings.set(finding.problem, [...alike, finding])
    }
  }
  return [...findings.values()].flat()
}

const checks: readonly TableCheck[] = [
  transactions,
  operationInvariants,
  orphanOperations,
  sharedCharges,
  capturedAfterRenewal,
  payouts,
  provisionalMethods,
  paymentLinks,
  settledAmounts,
  orphanSettlements,
  eventNumbers,
  orphanEvents,
  lastEventOfTransaction,
  lastEventOfOperation,
  lastEventOfPayout,
  lastEventOfLink,
  reviewAccepted,
  orphanKeys,
  storedAnswers,
  missingAnswers,
  auditedResourcesExist,
]

const totals = `
select (select count(*) from transactions) as transactions, (select count(*) from payouts) as payouts, count(*) as operations,
       count(*) filter (where status in ('queued', 'sent', 'unknown')) as undecided
  from operations`

/** Proves DESIGN §1, 1 and 2, from the tables. `service`: where it is left out, what depends on the time is not looked at. */
export async function verify(run: Statements, service?: VerifiedService): Promise<Verification> {
  const timely = service ? [missingKeys(service), neverRecovered(service)] : []
  const findings = await Promise.all([...checks, ...timely].map((look) => look(run)))
  const [counted] = await run<{ transactions: number; payouts: number; operations: number; undecided: number }>(totals, [])
  return { transactions: 0, payouts: 0, operations: 0, undecided: 0, ...counted, findings: findings.flat() }
}
