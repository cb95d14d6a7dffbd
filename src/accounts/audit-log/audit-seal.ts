import {
  type Chain,
  FIRST_POSITION,
  hasRowsSql,
  type Link,
  type LinkRange,
  type Sealer,
} from '../../database/logs/chain.ts'
import { namedStatement } from '../../database/named-statement.ts'
import type { Statements } from '../../database/statements.ts'
import type { AuditEntryRow } from './audit-log.store.ts'

/**
 * The columns of an entry that are hashed after its position. The order must never change: stored hashes
 * depend on it.
 */
const columns = [
  'action',
  'resource_type',
  'resource_id',
  'resource_name',
  'actor_type',
  'actor_id',
  'actor_name',
  'actor_email_address',
  'created_at',
] as const satisfies readonly (keyof AuditEntryRow)[]

/**
 * Nothing of a column that is null: entries keep the hash that they had before the column existed. The two have
 * different JSON types, so that one is never taken for the other.
 */
const laterColumns = ({ changes, proposal_id }: AuditEntryRow): unknown[] => [
  ...(changes ? [changes] : []),
  ...(proposal_id ? [proposal_id] : []),
]

/**
 * A link of an account's chain while entries are added to it: a keyed hash over the link before (undefined:
 * this is the first), its entries in their order, and its own row. A link cannot be made without the
 * instance's root secret of its generation.
 */
function chainLink({ mac }: Sealer, account: string, number: number, before: Buffer | undefined) {
  const hashOf = (...parts: unknown[]) => mac('audit-seal', JSON.stringify(parts))
  let hash = hashOf('link', account, number, before?.toString('hex') ?? null)
  let entries = 0
  return {
    entries: () => entries,
    add(row: AuditEntryRow): void {
      entries += 1
      hash = hashOf(
        'entry',
        hash.toString('hex'),
        row.merchant_account_id,
        row.position,
        row.id,
        ...columns.map((column) => row[column]),
        ...laterColumns(row),
      )
    },
    /**
     * The hash of the finished link. `position` is where the next link begins; `createdAt` as the database
     * answers it.
     */
    hash: (position: number, createdAt: string): Buffer =>
      hashOf('seal', hash.toString('hex'), position, entries, createdAt),
  }
}

const BATCH = 1_000
const BEFORE_FIRST = { position: FIRST_POSITION, id: '00000000-0000-0000-0000-000000000000' }
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const selectEntries = namedStatement(
  ['account', 'lastPosition', 'lastId', 'below'],
  (p) => `
select * from audit_entries
 where merchant_account_id = ${p.account}
   and (position, id) > (${p.lastPosition}::bigint, ${p.lastId}::uuid)
   and position < ${p.below}::bigint
 order by position, id
 limit ${BATCH}`,
)

/**
 * An account's entries in their order, read in batches: from position `from` (undefined: the first) up to,
 * not including, `below`.
 */
async function* entriesBetween(
  run: Statements,
  account: string,
  from: number | undefined,
  below: number,
): AsyncGenerator<AuditEntryRow> {
  let last: { position: number | string; id: string } =
    from === undefined ? BEFORE_FIRST : { position: from - 1, id: LAST_ID }
  for (;;) {
    const rows = await selectEntries.run<AuditEntryRow>(
      { run },
      { account, lastPosition: last.position, lastId: last.id, below },
    )
    yield* rows
    const end = rows.at(-1)
    if (!end || rows.length < BATCH) return
    last = end
  }
}

/** Makes the links of these ranges, which belong to one account and follow each other. */
async function links(run: Statements, sealer: Sealer, ranges: readonly LinkRange[]): Promise<Link[]> {
  const [first, end] = [ranges[0], ranges.at(-1)]
  if (!first || !end) return []
  const entries = entriesBetween(run, first.account, first.before?.position, end.position)
  let next = await entries.next()
  const links: Link[] = []
  for (const { account, number, before, position, createdAt } of ranges) {
    const link = chainLink(sealer, account, number, before?.hash)
    while (!next.done && next.value.position < position) {
      link.add(next.value)
      next = await entries.next()
    }
    links.push({ entries: link.entries(), hash: link.hash(position, createdAt) })
  }
  return links
}

/** The chain of hashes over the audit log (docs/operations/audit.md). */
export const auditChain: Chain = {
  name: 'audit seal',
  logName: 'audit log',
  seals: 'audit_seals',
  hasEntries: (from, below) => hasRowsSql('audit_entries', 'position', from, below),
  accounts: 'select merchant_account_id from audit_entries',
  countFrom:
    'select count(*) as count from audit_entries where merchant_account_id = $1 and position >= $2::bigint',
  links,
}
