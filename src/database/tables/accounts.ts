import type { Generated } from 'kysely'
import type { Json } from '../json.ts'

export interface MerchantAccountTable {
  id: string
  display_name: string
  over_capture_amount: number | null
  over_capture_percentage: number | null
  account_updater_enabled: boolean
  async_network_tokens_enabled: boolean
  payment_link_intent: 'authorize' | 'capture' | null
  identifiers: Json<Record<string, unknown>>
  secrets: Buffer | null
  created_at: string
  updated_at: string
}

/** Each merchant account, beside its payments (migration 191). */
export interface AccountShardTable {
  merchant_account_id: string
}

export interface AccountClockTable {
  merchant_account_id: string
  ahead_ms: number
}

export interface NetworkTokenIdentifierTable {
  identifier: string
  merchant_account_id: string
}

export interface ApiKeyPairTable {
  id: string
  display_name: string
  algorithm: string
  thumbprint: string
  public_jwk: Json<Record<string, unknown>>
  role_ids: string[]
  merchant_account_ids: string[]
  /** Whether a request must name its merchant account, if the key pair may act on several. */
  merchant_account_required: Generated<boolean>
  active: Generated<boolean>
  /** The user who created it; null: the command line. */
  creator: Json<{ id: string; name: string; email_address: string | null; thumbprint: string | null }> | null
  deleted_at: string | null
  last_used_at: string | null
  created_at: string
  updated_at: string
}

/** People who sign in. `role_ids` are slugs; an empty `merchant_account_ids` means all accounts. */
export interface UserTable {
  id: string
  email_address: string
  name: string
  status: 'pending' | 'active' | 'deleted'
  password_hash: string | null
  totp_secret: Buffer | null
  totp_candidate: Buffer | null
  last_totp_step: number | null
  role_ids: string[]
  merchant_account_ids: string[]
  failed_attempts: Generated<number>
  locked_until: string | null
  /** The hashes of earlier passwords, the newest first. */
  former_password_hashes: Generated<string[]>
  /** Null: never, or before this was recorded. */
  last_signed_in_at: string | null
  deleted_at: string | null
  created_at: string
  updated_at: string
}

export interface UserSessionTable {
  id: string
  token_hash: Buffer
  user_id: string
  created_at: string
  last_seen_at: string
  expires_at: string
  /** How the person proved who they are; null, as the next two: opened by an earlier version. */
  method: 'password' | 'passkey' | 'invitation' | 'sign-in-link' | null
  ip_address: string | null
  user_agent: string | null
}

export interface UserInvitationTable {
  user_id: string
  token_hash: Buffer
  expires_at: string
}

/** Passkeys of people (WebAuthn): public keys. */
export interface UserPasskeyTable {
  id: string
  user_id: string
  name: string
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
  created_at: string
  last_used_at: string | null
}

/** Challenges that an authenticator has yet to sign. */
export interface PasskeyChallengeTable {
  challenge_hash: Buffer
  /** The session that adds a passkey; null: a sign-in. */
  session_id: string | null
  expires_at: string
}

/** One-time links that sign in the administrator of a sandbox. */
export interface SignInLinkTable {
  token_hash: Buffer
  expires_at: string
}

export interface AuditEntryTable {
  merchant_account_id: string
  position: Generated<number>
  id: string
  action: string
  resource_type: string
  resource_id: string
  resource_name: string | null
  actor_type: string
  actor_id: string
  actor_name: string
  actor_email_address: string | null
  created_at: string
  /**
   * Values before and after, for corrections of payments and changes of users; null: the entry says enough
   * without them.
   */
  changes: Generated<AuditedValues | null>
  /** The proposal whose execution made the change. */
  proposal_id: Generated<string | null>
}

/**
 * Changed values: amounts and the status of a payment, a user's means and address of signing in. Never data
 * of buyers, never a secret.
 */
export interface AuditedValues {
  before: Record<string, string | number | null>
  after: Record<string, string | number | null>
}

export interface SavedViewTable {
  merchant_account_id: string
  id: string
  list: SavedList
  name: string
  /** The query of the list's URL. */
  query: string
  columns: Json<string[]>
  shared: boolean
  owner_type: 'user' | 'api-key-pair'
  owner_id: string
  owner_name: string
  created_at: string
  updated_at: string
}

/** A list of which people keep views. */
type SavedList =
  | 'payments'
  | 'refunds'
  | 'disputes'
  | 'payouts'
  | 'payment-links'
  | 'buyers'
  | 'settlements'
  | 'unmatched-report-lines'
  | 'webhook-deliveries'
  | 'events'
  | 'audit-logs'

/** A link of the chain of a log (src/database/logs/chain.ts). */
export interface SealTable {
  merchant_account_id: string
  number: number
  position: number
  entries: number
  hash: Buffer
  created_at: string
}
