import { auditChain } from '../accounts/audit-log/audit-seal.ts'
import { readInterval } from '../api/values/interval.ts'
import { systemClock } from '../base/clock.ts'
import type { Database } from '../database/database.ts'
import type { Chain } from '../database/logs/chain.ts'
import { type ChainHead, verifyChain } from '../database/logs/verify-chain.ts'
import { journalChain } from '../operations/journal/journal-chain.ts'
import type { Settings } from '../settings.ts'
import { openVault } from '../vault/open-vault.ts'
import { verify } from '../verify/verify.ts'
import { withDatabase } from './keys/keys.ts'
import { UserError } from './user-error.ts'

/** Links of the chains that the operator has written down, as `<account>:<number>:<hash>`. */
export interface ExpectedHeads {
  auditHead: readonly string[]
  journalHead: readonly string[]
}

export interface VerifyOptions extends ExpectedHeads {
  /** Compare operations with the payment services' books, too. */
  atPaymentServices?: boolean
  /** Those that were decided since then: a time or a duration of ISO 8601. */
  since?: string
}

/**
 * `railyard verify`: exit code 0 when every row of money follows from its operations, and the journal and the audit log are what was sealed, and where they were asked, the payment
 * services' books say the same; 1 otherwise.
 */
export const verifyInstance = (settings: Settings, options: VerifyOptions): Promise<number> => {
  const { auditHead, journalHead, atPaymentServices = false } = options
  const since = readSince(options.since ?? 'P7D')
  const chains = [
    { chain: journalChain, heads: journalHead.map((head) => readHead('--journal-head', head)) },
    { chain: auditChain, heads: auditHead.map((head) => readHead('--audit-head', head)) },
  ]
  const work = async (database: Database) => {
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
    const broken = await verifyChains(settings, database, chains)
    return findings.length + broken === 0 ? 0 : 1
  }
  return compareAll()

  async function compareAll(): Promise<number> {
    // it reads whole tables
    const books = await withDatabase(settings, work, { patient: true })
    if (!atPaymentServices) return books
    const { verifyAtPaymentServices } = await import('./verify-at-payment-services.ts')
    return Math.max(books, await verifyAtPaymentServices(settings, since))
  }
}

function readSince(text: string): Date {
  const interval = readInterval(`${text}/now`, systemClock.now())
  if (typeof interval === 'string') throw new UserError(`--since ${text} is neither a past time nor a duration of ISO 8601, such as P7D`)
  return new Date(interval.start)
}

/** Answers how much was found. The hashes are keyed, so the encryption key is needed. */
async function verifyChains(
  settings: Settings,
  { db, run }: Database,
  chains: readonly { chain: Chain; heads: readonly ChainHead[] }[],
): Promise<number> {
  const { cipher, masterKeys } = await openVault(db, settings)
  try {
    let found = 0
    for (const { chain, heads } of chains) {
      const { sealed, unsealed, findings } = await verifyChain(run, cipher, chain, heads)
      for (const { account, link, problem } of findings) console.error(`${account}: ${chain.logName}: link ${link} ${problem}`)
      console.log(`${sealed} entries of the ${chain.logName} checked: ${findings.length} findings, ${unsealed} entries not sealed yet`)
      found += findings.length
    }
    return found
  } finally {
    masterKeys.close()
  }
}

/** As a line of the log says it. */
function readHead(option: string, text: string): ChainHead {
  const [, account, number, hash] = /^([a-zA-Z0-9-]+):([1-9]\d{0,8}):([0-9a-f]{64})$/i.exec(text) ?? []
  if (!account || !number || !hash) throw new UserError(`${option} ${text} is not <account>:<number>:<hash>, as a seal is logged`)
  return { account, number: Number(number), hash: hash.toLowerCase() }
}
