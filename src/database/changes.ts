/** Names of `Topic`, as the database announces them. */
export const TOPICS = [
  'merchant_accounts',
  'payment_services',
  'payment_service_health',
  'gift_card_services',
  'anti_fraud_services',
  'api_key_pairs',
  'users',
  'webhook_subscriptions',
  'bins',
  'three_d_secure',
  'flow_rules',
  'approval_policies',
  'spending_limits',
] as const

/** A kind of rows of which processes keep copies. */
export type Topic = (typeof TOPICS)[number]

/**
 * Announcements that rows of a topic have changed. The commit that changes them announces it to every process
 * (migration 039). `isReliable` is false while this process may miss announcements; caches then read the
 * database, so that a revoked key stops working everywhere at once.
 */
export interface Changes {
  /** Tells the subscribers of this process at once; the announcement of the commit comes later. */
  invalidate(topic: Topic): void
  subscribe(listener: (topic: Topic) => void): void
  readonly isReliable: boolean
  close(): Promise<void>
}

/** The embedded database has one process, so there are no announcements. */
export function localChanges(): Changes {
  const subscribers: ((topic: Topic) => void)[] = []
  return {
    invalidate: (topic) => {
      for (const listener of subscribers) listener(topic)
    },
    subscribe: (listener) => subscribers.push(listener),
    isReliable: true,
    close: async () => undefined,
  }
}
