import { fingerprintColumns } from '../../api/request/request-fingerprint.ts'

// bodies of CTEs that several statements of the journal have

interface ClaimSource {
  /** The CTE whose row makes the claim. */
  from: string
  /** The resource that the answer shows; absent: the row itself. */
  resourceId?: string
  /** An answer that is known already; absent: the outcome stores it. */
  answer?: string
  /** Absent: the time of the row. */
  createdAt?: string
}

/** Claims the idempotency key, if the request has one. */
export const insertClaim = (
  p: Readonly<Record<'idempotencyScope' | 'idempotencyKey' | 'fingerprint' | 'representation', string>>,
  { from, resourceId = 'id', answer, createdAt = 'created_at' }: ClaimSource,
): string => `
  insert into idempotency_keys
         (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation,${answer ? ' answer,' : ''} created_at)
  select merchant_account_id,
         ${p.idempotencyScope},
         ${p.idempotencyKey},
         ${fingerprintColumns(p.fingerprint)},
         ${resourceId},
         ${p.representation},
         ${answer ? `${answer},` : ''}
         ${createdAt}
    from ${from}
   where ${p.idempotencyKey}::text is not null`

/** Writes a row of the timeline of the transaction in the CTE `from`. */
export const insertTimeline = (
  from: string,
  { id, entries, packed }: Readonly<Record<'id' | 'entries' | 'packed', string>>,
): string => `
  insert into transaction_events (merchant_account_id, transaction_id, id, entries, packed)
  select merchant_account_id,
         id,
         ${id},
         ${entries},
         ${packed}
    from ${from}`

interface EventSource {
  /** Rows, and a record set `event` of the numbered events. */
  from: string
  account?: string
  targetId: string
  sequence: string
  target: string
  createdAt: string
}

/** Writes events to the outbox. */
export const insertEvents = ({
  from,
  account = 'merchant_account_id',
  targetId,
  sequence,
  target,
  createdAt,
}: EventSource): string => `
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select ${account},
         event.id,
         event.name,
         ${targetId},
         ${sequence},
         ${target},
         ${createdAt}
    from ${from}`

/** Stores the answer to the request whose key the operation `recorded` has, unless it has one. */
export const storeAnswer = (answer: string, condition?: string): string => `
  update idempotency_keys k
     set answer = ${answer}
    from changed c, recorded r
   where k.merchant_account_id = r.merchant_account_id
     and k.scope = r.idempotency_scope
     and k.key = r.idempotency_key
     and k.answer is null
     ${condition ? `and ${condition}` : ''}
  returning true`
