import { verify } from '../operations/verify.ts'
import type { Settings } from '../settings.ts'
import { withDatabase } from './keys.ts'

/** `railyard verify`: exit code 0 when every amount follows from its operations, 1 otherwise. */
export const verifyInstance = (settings: Settings): Promise<number> =>
  withDatabase(settings, async ({ run }) => {
    const { transactions, operations, undecided, findings } = await verify(run)
    for (const finding of findings) {
      console.error(
        `${finding.merchant_account_id}/${finding.transaction_id}: ${finding.problem}: ${finding.stored} stored, ${finding.computed} by its operations`,
      )
    }
    console.log(`${transactions} transactions and ${operations} operations checked: ${findings.length} findings, ${undecided} operations undecided`)
    return findings.length === 0 ? 0 : 1
  })
