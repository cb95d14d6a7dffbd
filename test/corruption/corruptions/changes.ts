/** A change by an attacker who can write to the database. */
interface Planted {
  subject: string
  /** The name in the document (docs/operations/verify.md). */
  name: string
  /** `:name` stands for an id from sample-data.ts. */
  sql: string | string[]
}

/** `finding`: the problem that verification reports. `notDetected`: the reason why it reports none. */
export type Corruption = Planted & ({ finding: string } | { notDetected: string })

type Row = readonly [name: string, sql: string | string[], finding: string]

export const detected = (subject: string, rows: readonly Row[]): Corruption[] =>
  rows.map(([name, sql, finding]) => ({ subject, name, sql, finding }))

export const CHANGED = 'journal: link is not what was sealed'
export const COUNTED = 'journal: link has '

export const transaction = (set: string, name: string) => `update transactions set ${set} where id = :${name}`
export const operation = (set: string, name: string, kind: string) =>
  `update operations set ${set} where transaction_id = :${name} and kind = '${kind}'`

export const removedPayment = (name: string) => [
  `delete from transaction_events where transaction_id = :${name}`,
  `delete from events where target_id = :${name} or target_id in (select id from operations where transaction_id = :${name})`,
  `delete from idempotency_keys where resource_id = :${name}`,
  `delete from operations where transaction_id = :${name}`,
  `delete from transactions where id = :${name}`,
]
