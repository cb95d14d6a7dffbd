import { withNetworkTokens } from '../domains/network-tokens.ts'
import type { Client, TestRailyard } from '../railyard.ts'
import { startRailyardForFile } from '../start-railyard.ts'
import { accountRequests } from './audited/account.ts'
import { type Audited, auditKit } from './audited/kit.ts'
import { paymentsRequests } from './audited/payments.ts'
import { servicesRequests } from './audited/services.ts'

/**
 * Every operation that changes something, or looks as if it did. `shop` has network tokens and an account
 * updater.
 */
export function auditedOperations(railyard: TestRailyard, shop: Client): Record<string, Audited> {
  const kit = auditKit(railyard, shop)
  return { ...accountRequests(kit), ...servicesRequests(kit), ...paymentsRequests(kit) }
}

/**
 * An instance for all tests of a file, with a key pair that may act on every account, on the account of a
 * shop, and its requests of every operation that changes something.
 */
export async function startForAudit() {
  const railyard = await startRailyardForFile()
  const { account } = await railyard.merchant({
    settings: withNetworkTokens({ account_updater_enabled: true }),
  })
  const shop = await railyard.client({ account })
  return { railyard, shop, requests: auditedOperations(railyard, shop) }
}

/** Operations without a request here, and why. */
export const leftOut: Record<string, string> = {
  update_transaction_session: 'a buyer asks, with the token of the session',
  post_transaction_completion: 'it carries out what a buyer has approved, as its GET does',
  retry_webhook_delivery: 'what is subscribed to stays',
  replay_webhook_events: 'what is subscribed to stays',
  test_webhook_subscription: 'what is subscribed to stays',
  create_session: 'a person signs in: src/accounts/sign-in/sign-in-audit.test.ts',
  delete_current_session: 'a person signs out: src/accounts/sign-in/sign-in-audit.test.ts',
  accept_invitation: 'a person asks, with the token of the invitation: src/accounts/users/user.test.ts',
  create_session_passkey_options: 'changes nothing but a challenge',
  create_session_by_passkey: 'a person signs in: src/accounts/passkeys/passkey.test.ts',
  create_own_passkey_options: 'changes nothing but a challenge',
  create_own_passkey: 'a person asks: src/accounts/passkeys/passkey.test.ts',
  delete_own_passkey: 'a person asks: src/accounts/passkeys/passkey.test.ts',
  delete_own_session: 'a person signs out: src/accounts/sign-in/own-session.test.ts',
  approve_proposal: 'a person decides: src/approvals/proposals/proposal.test.ts',
  reject_proposal: 'a person decides: src/approvals/proposals/proposal.test.ts',
  create_proposal_passkey_options: 'changes nothing but a challenge',
  take_proposal_answer: 'it erases what only its requester could read',
  update_own_user: 'a person asks: src/accounts/users/user.test.ts',
  create_own_totp: 'a person asks, and nothing counts until it is confirmed',
  confirm_own_totp: 'a person asks: src/accounts/users/user.test.ts',
  delete_own_totp: 'a person asks: src/accounts/users/user.test.ts',
}
