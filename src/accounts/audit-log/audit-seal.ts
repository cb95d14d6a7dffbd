import { type Chain, FIRST_POSITION, type Link, type LinkRange, type Sealer } from '../../database/logs/chain.ts'
import type { Statements } from '../../database/statements.ts'
import type { AuditEntryRow } from './audit-log.store.ts'

/** Every column that is not in the place of an entry already, in this order for ever: hashes are over it. */
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

/** Only where there are some: entries without keep the hash that they had before the column. */
const changesOf = ({ changes }: AuditEntryRow): unknown[] => (changes ? [changes] : [])

/**
 * A link of an account's chain as it grows: a keyed hash over the link before (undefined: this is the first), its entries in their order, and what its own row says. A link
 * cannot be made without the instance's root secret of that generation.
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
        ...changesOf(row),
      )
    },
    /** `position` is where the next link begins; `createdAt` as the database answers it. */
    hash: (position: number, createdAt: string): Buffer => hashOf('seal', hash.toString('hex'), position, entries, createdAt),
  }
}

const BATCH = 1_000
const BEFORE_ALL = { position: FIRST_POSITION, id: '00000000-0000-0000-0000-000000000000' }
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const between = `
select * from audit_entries
 where merchant_account_id = $1 and (position, id) > ($2::bigint, $3::uuid) and position < $4::bigint
 order by position, id limit ${BATCH}`

/** An account's entries in their order, `from` a position (undefined: the first) up to below another, a batch at a time. */
async function* entriesBetween(run: Statements, account: string, from: number | undefined, below: number): AsyncGenerator<AuditEntryRow> {
  let last: { position: number | string; id: string } = from === undefined ? BEFORE_ALL : { position: from - 1, id: LAST_ID }
  for (;;) {
    const rows = await run<AuditEntryRow>(between, [account, last.position, last.id, below])
    yield* rows
    const end = rows.at(-1)
    if (!end || rows.length < BATCH) return
    last = end
  }
}

async function links(run: Statements, sealer: Sealer, ranges: readonly LinkRange[]): Promise<Link[]> {
  const [first, end] = [ranges[0], ranges.at(-1)]
  if (!first || !end) return []
  const entries = entriesBetween(run, first.account, first.before?.position, end.position)
  let next = await entries.next()
  const made: Link[] = []
  for (const { account, number, before, position, createdAt } of ranges) {
    const link = chainLink(sealer, account, number, before?.hash)
    while (!next.done && next.value.position < position) {
      link.add(next.value)
      next = await entries.next()
    }
    made.push({ entries: link.entries(), hash: link.hash(position, createdAt) })
  }
  return made
}

/** What people and keys have changed (docs/operations/audit.md). */
export const auditChain: Chain = {
  name: 'audit seal',
  logName: 'audit log',
  seals: 'audit_seals',
  hasEntries: (from, below) =>
    `exists (select from audit_entries e where e.merchant_account_id = a.id and e.position >= ${from} and e.position < ${below})`,
  accounts: 'select merchant_account_id from audit_entries',
  countFrom: 'select count(*) as count from audit_entries where merchant_account_id = $1 and position >= $2::bigint',
  links,
}
