/** The operations for which a policy can ask for approval. */
export const approvalOperations = [
  'refund',
  'forced_refund',
  'void',
  'capture',
  'payout',
  'flow_publication',
  'api_key_pair',
  'user',
  'credentials',
  'erasure',
  'correction',
  'approval_policy',
  'spending_limit',
] as const
export type ApprovalOperation = (typeof approvalOperations)[number]

/** Changes of what protects the others: every active policy of the account asks for approval. */
export const protectedOperations: ReadonlySet<ApprovalOperation> = new Set([
  'approval_policy',
  'spending_limit',
])

export interface Money {
  /** In the smallest unit of the currency. */
  amount: number
  currency: string
}

/** What a request is about. */
export interface ApprovalTarget {
  /** Null: the request creates it. */
  resource: { type: string; id: string } | null
  /** What leaves, or may leave, with this request; null: no money does. */
  money: Money | null
  /**
   * What has left already and counts together with it, in the same currency: the earlier refunds of a payment.
   * Absent: each request counts alone.
   */
  countedBefore?: number
  /** The members on which a decision depends. A proposal is stale once one of them has changed. */
  preconditions: Record<string, string | number | boolean | null>
}

/**
 * What the statement that intends an operation must still find of the money that counts together
 * (`ApprovalTarget.countedBefore`): between the check of a request and its statement, another may have counted.
 */
export interface ApprovalBounds {
  /**
   * The most that may count after the operation: without approval, or because it was approved; null: any
   * amount.
   */
  upTo: number | null
  /** What counted when the preconditions of an approved proposal were checked; null: they were not. */
  before: number | null
  /** What to throw when they do not hold any more. */
  refusal: () => Error
}

/** A member of the target that has changed since the proposal was made. */
export interface PreconditionChange {
  member: string
  was: string | number | boolean | null
  is: string | number | boolean | null
}

/** An attempt to execute a proposal. */
export interface ProposalAttempt {
  /** The merchant account whose policies asked for it. */
  account: string
  id: string
  attempt: number
}
