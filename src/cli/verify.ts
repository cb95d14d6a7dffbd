import { type AuditHead, type AuditVerification, verifyAuditLogs } from '../accounts/audit-verify.ts'
import type { Database } from '../database/database.ts'
import { openVault } from '../instance.ts'
import type { Settings } from '../settings.ts'
import { verify } from '../verify/verify.ts'
import { systemClock } from '../world.ts'
import { withDatabase } from './keys.ts'
import { UserError } from './user-error.ts'

/** `railyard verify`: exit code 0 when every amount follows from its operations and the audit log is what was sealed, 1 otherwise. */
export const verifyInstance = (settings: Settings, knownHeads: readonly string[]): Promise<number> => {
  const heads = knownHeads.map(readHead)
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
    const audit = await verifyAudit(settings, database, heads)
    for (const { account, link, problem } of audit.findings) console.error(`${account}: audit log: link ${link} ${problem}`)
    console.log(`${audit.sealed} entries of the audit log checked: ${audit.findings.length} findings, ${audit.unsealed} entries not sealed yet`)
    return findings.length + audit.findings.length === 0 ? 0 : 1
  }
  // it reads whole tables
  return withDatabase(settings, work, { patient: true })
}

/** The hashes are keyed, so the encryption key is needed. */
async function verifyAudit(settings: Settings, { db, run }: Database, heads: readonly AuditHead[]): Promise<AuditVerification> {
  const { cipher, masterKeys } = await openVault(db, settings)
  return verifyAuditLogs(run, cipher, heads).finally(() => masterKeys.close())
}

/** `<account>:<number>:<hash>`, as a line of the log says it. */
function readHead(text: string): AuditHead {
  const [, account, number, hash] = /^([a-zA-Z0-9-]+):([1-9]\d{0,8}):([0-9a-f]{64})$/i.exec(text) ?? []
  if (!account || !number || !hash) throw new UserError(`--audit-head ${text} is not <account>:<number>:<hash>, as an audit seal is logged`)
  return { account, number: Number(number), hash: hash.toLowerCase() }
}
