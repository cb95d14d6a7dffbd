import { switchPoliciesOff } from '../approvals/policies/approval-policy.store.ts'
import type { Settings } from '../settings.ts'
import { commandStore, withDatabase } from './support/command-database.ts'
import { runAsCommandLine } from './support/command-line-actor.ts'
import { requireMerchantAccounts } from './support/require-merchant-accounts.ts'

/** `railyard approvals reset`: switches the policies of an account off whose approvers cannot be reached. */
export const resetApprovals = (settings: Settings, account: string): Promise<void> =>
  withDatabase(settings, async (database) => {
    await requireMerchantAccounts(database, [account])
    const policies = await runAsCommandLine(() => switchPoliciesOff(commandStore(database), account))
    console.log(
      policies.length === 0
        ? `${account} has no active approval policy`
        : policies.map((name) => `switched off: ${name}`).join('\n'),
    )
  })
