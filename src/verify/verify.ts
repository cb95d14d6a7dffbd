import type { Statements } from '../database/statements.ts'
import { agenticCheckouts } from './agentic-checkouts.ts'
import { auditedResourcesExist } from './audit.ts'
import { delegatedPayments, paidByDelegation } from './delegated-payments.ts'
import { disputesOfNotices, lastEventOfDispute, paymentsOfDisputes } from './disputes.ts'
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
import {
  capturedAfterRenewal,
  lateCompensations,
  lateFailures,
  neverRecovered,
  operationInvariants,
  orphanOperations,
  sharedCharges,
} from './operations.ts'
import { paymentLinks } from './payment-links.ts'
import { methodsOfTokens, provisionalMethods, tokensOfMethods, undecidedMethods } from './payment-methods.ts'
import { payouts } from './payouts.ts'
import { readTransactions } from './read-transactions.ts'
import { orphanSettlements, settledAmounts } from './settlements.ts'
import { spendingUsage } from './spending-limits.ts'
import { transactionFindings } from './transaction-findings.ts'

export type { Finding } from './finding.ts'

export interface Verification {
  transactions: number
  payouts: number
  operations: number
  /** Operations whose outcome is not known yet. That is no error: recovery looks them up. */
  undecided: number
  findings: Finding[]
}

/**
 * The parameters of the checks that depend on time: the present time in milliseconds, and the days for which
 * idempotency keys are kept.
 */
export interface VerifiedService {
  now: number
  idempotencyRetention: number
}

/** Every transaction equals the one that is computed from its operations, by the code that wrote it. */
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
  lateCompensations,
  lateFailures,
  payouts,
  spendingUsage,
  provisionalMethods,
  tokensOfMethods,
  methodsOfTokens,
  undecidedMethods,
  paymentLinks,
  delegatedPayments,
  paidByDelegation,
  agenticCheckouts,
  settledAmounts,
  orphanSettlements,
  disputesOfNotices,
  paymentsOfDisputes,
  eventNumbers,
  orphanEvents,
  lastEventOfTransaction,
  lastEventOfOperation,
  lastEventOfPayout,
  lastEventOfLink,
  lastEventOfDispute,
  reviewAccepted,
  orphanKeys,
  storedAnswers,
  missingAnswers,
  auditedResourcesExist,
]

const totals = `
select t.transactions, p.payouts, o.operations, o.undecided
  from (select count(*) as transactions from transactions) t,
       (select count(*) as payouts from payouts) p,
       (select count(*) as operations,
               count(*) filter (where status in ('queued', 'sent', 'unknown')) as undecided
          from operations) o`

/**
 * Checks the guarantees on money and on single effects (ARCHITECTURE.md, 1 and 2) from the tables. Without
 * `service` it skips the checks that depend on time.
 */
export async function verify(run: Statements, service?: VerifiedService): Promise<Verification> {
  const timely = service ? [missingKeys(service), neverRecovered(service)] : []
  const findings: Finding[] = []
  // one after the other: a check of many payments takes minutes, and no statement waits that long for a connection
  for (const runCheck of [...checks, ...timely]) findings.push(...(await runCheck(run)))
  const [counted] = await run<{
    transactions: number
    payouts: number
    operations: number
    undecided: number
  }>(totals, [])
  return { transactions: 0, payouts: 0, operations: 0, undecided: 0, ...counted, findings }
}
