import { auditChain } from '../../accounts/audit-log/audit-seal.ts'
import { readInterval } from '../../api/values/interval.ts'
import { verifyArchive } from '../../archive/verify-archive.ts'
import { systemClock } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import type { Chain } from '../../database/logs/chain.ts'
import { verifyRetirements } from '../../database/logs/retirement-seal.ts'
import { type ChainHead, verifyChain } from '../../database/logs/verify-chain.ts'
import { journalChain } from '../../operations/journal/journal-chain.ts'
import type { Settings } from '../../settings.ts'
import { openVault } from '../../vault/open-vault.ts'
import { keepVerification } from '../../verify/verification.store.ts'
import { verify } from '../../verify/verify.ts'
import { withDatabase } from '../support/command-database.ts'
import { UserError } from '../support/user-error.ts'
import { makeRecheck } from './recheck-after-rotation.ts'

/** Retirements are the instance's. */
const INSTANCE_ACCOUNT = 'default'

/** Seals that the operator has noted, as `<account>:<number>:<hash>`: the chains must still have them. */
export interface ExpectedHeads {
  auditHead: readonly string[]
  journalHead: readonly string[]
}

export interface VerifyOptions extends ExpectedHeads {
  /** Whether to compare operations with the payment services' books, too. */
  atPaymentServices?: boolean
  /** With `atPaymentServices`: operations decided since then; a time or a duration of ISO 8601. */
  since?: string
}

/**
 * `railyard verify`: answers the exit code. It is 0 if every amount follows from its operations, the journal
 * and the audit log are as they were sealed, and the payment services' books, if they were compared, agree;
 * otherwise 1. `patienceMs` is how long it waits for a rotation that runs beside it, if there are findings.
 */
export const verifyInstance = (
  settings: Settings,
  options: VerifyOptions,
  patienceMs?: number,
): Promise<number> => {
  const { auditHead, journalHead, atPaymentServices = false } = options
  const since = readSince(options.since ?? 'P7D')
  const chains = [
    { chain: journalChain, heads: journalHead.map((head) => readHead('--journal-head', head)) },
    { chain: auditChain, heads: auditHead.map((head) => readHead('--audit-head', head)) },
  ]
  const verifyDatabase = async (database: Database) => {
    const { transactions, payouts, operations, undecided, findings } = await verify(database.run, {
      now: systemClock.now(),
      idempotencyRetention: settings.idempotencyRetention,
    })
    for (const finding of findings) {
      console.error(
        `${finding.merchant_account_id}/${finding.transaction_id}: ${finding.problem}: ${finding.stored} stored, ${finding.computed} by its operations`,
      )
    }
    console.log(
      `${transactions} transactions, ${payouts} payouts and ${operations} operations checked: ${findings.length} findings, ${undecided} operations undecided`,
    )
    const brokenLinks = [
      ...(await verifyChains(settings, database, chains, patienceMs)),
      ...(await verifyFiles(settings, database)),
    ]
    await keepVerification(database.run, systemClock, {
      findings: findings.map(({ merchant_account_id }) => merchant_account_id),
      brokenLinks,
    })
    return findings.length + brokenLinks.length === 0 ? 0 : 1
  }
  return verifyAll()

  async function verifyAll(): Promise<number> {
    // without a timeout, since it reads whole tables
    const code = await withDatabase(settings, verifyDatabase, { withoutTimeout: true })
    if (!atPaymentServices) return code
    const { verifyAtPaymentServices } = await import('./verify-at-payment-services.ts')
    return Math.max(code, await verifyAtPaymentServices(settings, since))
  }
}

function readSince(text: string): Date {
  const interval = readInterval(`${text}/now`, systemClock.now())
  if (typeof interval === 'string')
    throw new UserError(`--since ${text} is neither a past time nor a duration of ISO 8601, such as P7D`)
  return new Date(interval.start)
}

/**
 * Prints the findings in the chains, and answers the account of each. The hashes are keyed, so this needs the
 * encryption key.
 */
async function verifyChains(
  settings: Settings,
  { db, run }: Database,
  chains: readonly { chain: Chain; heads: readonly ChainHead[] }[],
  patienceMs: number | undefined,
): Promise<string[]> {
  const { cipher, rootSecrets, masterKeys } = await openVault(db, settings)
  const recheck = makeRecheck(run, rootSecrets, patienceMs)
  try {
    const found: string[] = []
    for (const { chain, heads } of chains) {
      const { sealed, unsealed, findings } = await verifyChain(run, cipher, chain, heads, recheck)
      for (const { account, link, problem } of findings)
        console.error(`${account}: ${chain.logName}: link ${link} ${problem}`)
      console.log(
        `${sealed} entries of the ${chain.logName} checked: ${findings.length} findings, ${unsealed} entries not sealed yet`,
      )
      found.push(...findings.map(({ account }) => account))
    }
    const problems = await recheck(
      () => verifyRetirements(run, cipher),
      (found) => found.length > 0,
    )
    for (const problem of problems) console.error(problem)
    found.push(...problems.map(() => INSTANCE_ACCOUNT))
    return found
  } finally {
    masterKeys.close()
  }
}

/** Prints what is wrong with the files of retired payments, and answers the account of each. */
async function verifyFiles({ archiveDir }: Settings, { run }: Database): Promise<string[]> {
  const { files, problems } = await verifyArchive(run, archiveDir)
  for (const problem of problems) console.error(problem)
  if (files > 0) console.log(`${files} archived files checked: ${problems.length} findings`)
  return problems.map(() => INSTANCE_ACCOUNT)
}

/** Reads a seal as the server logs it. */
function readHead(option: string, text: string): ChainHead {
  const [, account, number, hash] = /^([a-zA-Z0-9-]+):([1-9]\d{0,8}):([0-9a-f]{64})$/i.exec(text) ?? []
  if (!account || !number || !hash)
    throw new UserError(`${option} ${text} is not <account>:<number>:<hash>, as a seal is logged`)
  return { account, number: Number(number), hash: hash.toLowerCase() }
}
