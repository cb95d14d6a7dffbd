import {
  type Chain,
  FIRST_POSITION,
  hasRowsSql,
  type Link,
  type LinkRange,
  type Sealer,
} from '../../database/logs/chain.ts'
import type { Statements } from '../../database/statements.ts'

/** Microseconds since 1970: text of a time would depend on the session's settings. */
const time = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`

/** Rows of one table that are part of a link. */
interface SealedTable {
  table: string
  position: string
  /** The id of the row's payment, or of its time, with which it is retired; absent: it outlives payments. */
  retiredBy?: 'id' | 'transaction_id'
  /** What else a row is put together from. */
  from?: string
  /**
   * What nothing changes once the row has its position, in this order for ever: hashes are over it. Personal
   * data is not among it, since people have the right to be forgotten.
   */
  columns: readonly string[]
}

/**
 * Everything that says what became of money. The transaction of an operation, or its payout, is sealed with
 * it, as far as nothing changes it after its creation: what does change follows from operations, and is
 * computed again from them (src/verify).
 */
const sealedTables: readonly SealedTable[] = [
  {
    table: 'operations',
    position: 'journal_position',
    retiredBy: 'transaction_id',
    from: `left join transactions t on t.merchant_account_id = r.merchant_account_id and t.id = r.transaction_id
         left join payouts p on p.merchant_account_id = r.merchant_account_id and p.id = r.transaction_id`,
    columns: [
      'r.journal_position',
      'r.id',
      'r.transaction_id',
      'r.kind',
      'r.status',
      'r.amount',
      'r.effective_amount',
      'r.currency',
      'r.error_code',
      'r.payment_service_id',
      'r.payment_service_operation_id',
      'r.payment_service_transaction_id',
      time('r.created_at'),
      time('r.settled_at'),
      'r.idempotency_scope',
      'r.idempotency_key',
      `r.input->>'final'`,
      `r.input->>'allowance'`,
      `r.input->>'reauthorize'`,
      `r.input->>'rejected'`,
      `r.input->>'undoes'`,
      `r.input->>'redemption'`,
      `(r.input->'before') - '{external_identifier,metadata}'::text[]`,
      `(r.input->'after') - '{external_identifier,metadata}'::text[]`,
      // what an anti-fraud service decided
      `case when r.kind = 'screening' then r.facts->>'raw_response_code' end`,
      't.currency',
      't.country',
      't.intent',
      't.method',
      't.payment_source',
      't.merchant_initiated',
      't.is_subsequent_payment',
      `t.buyer->>'id'`,
      't.checkout_session_id',
      't.payment_link_id',
      't.reauthorized_from_transaction_id',
      time('t.created_at'),
      'p.amount',
      'p.currency',
      'p.payment_service_id',
      'p.category',
      `p.buyer->>'id'`,
      `p.payment_method->>'id'`,
      time('p.created_at'),
    ],
  },
  {
    table: 'events',
    position: 'position',
    retiredBy: 'id',
    from: `cross join json_to_record(r.target) as told (type text, id text, transaction_id text, status text, currency text, amount text, authorized_amount text,
           captured_amount text, refunded_amount text, settled_amount text, error_code text, payment_service_transaction_id text)`,
    columns: ['r.position', 'r.sequence', 'r.id', 'r.name', 'r.target_id', time('r.created_at'), 'told'],
  },
  {
    table: 'settlements',
    position: 'position',
    retiredBy: 'transaction_id',
    columns: [
      'r.position',
      'r.id',
      'r.payment_service_id',
      'r.line_key',
      'r.type',
      'r.transaction_id',
      'r.refund_id',
      time('r.posted_at'),
      time('r.ingested_at'),
      'r.gross_amount',
      'r.currency',
      'r.amount',
      `float8send(r.exchange_rate)`,
      'r.commission',
      'r.interchange',
      'r.markup',
      'r.scheme_fee',
      'r.report_id',
      'r.file_id',
      'r.line',
    ],
  },
  {
    table: 'gift_card_issuances',
    position: 'position',
    columns: [
      'r.position',
      'r.id',
      'r.gift_card_service_id',
      'r.gift_card_service_payment_issuance_id',
      'r.amount',
      'r.currency',
      time('r.created_at'),
    ],
  },
]

// the text of a row says where each of its members ends
const digest = ({ table, position, from = '', columns, retiredBy }: SealedTable, stays: boolean) => `
       lateral (
         select count(*) as entries, encode(sha256(convert_to(coalesce(string_agg(row(${columns.join(', ')})::text, '' order by r.${position}, r.id), ''), 'UTF8')), 'hex') as digest
           from ${table} r
         ${from}
          where r.merchant_account_id = $1 and r.${position} >= link.first and r.${position} < link.below${stays && retiredBy ? ` and r.${retiredBy} >= $4::uuid` : ''}
       ) as sealed_${table}`

/** `stays`: of the rows alone whose payments have the id `$4` or a later one. */
const digests = (stays: boolean) => `
select ${sealedTables.map(({ table }) => `sealed_${table}.entries`).join(' + ')} as entries, array[${sealedTables.map(({ table }) => `sealed_${table}.digest`).join(', ')}] as digests
  from unnest($2::bigint[], $3::bigint[]) with ordinality as link (first, below, number),${sealedTables.map((table) => digest(table, stays)).join(',')}
 order by link.number`
const digestsOfAll = digests(false)
const digestsOfStaying = digests(true)

/**
 * PostgreSQL makes one digest of each table's rows, and only that is keyed here: a tenth of what hashing row
 * by row costs.
 */
async function links(
  run: Statements,
  { mac }: Sealer,
  ranges: readonly LinkRange[],
  from?: string,
): Promise<Link[]> {
  const [first] = ranges
  if (!first) return []
  const firsts = ranges.map(({ before }) => before?.position ?? FIRST_POSITION)
  const values = [first.account, firsts, ranges.map(({ position }) => position)]
  const rows = await run<{ entries: number; digests: string[] }>(
    from === undefined ? digestsOfAll : digestsOfStaying,
    from === undefined ? values : [...values, from],
  )
  return ranges.map(({ account, number, before, position, createdAt }, index) => {
    const { entries = 0, digests: of = [] } = rows[index] ?? {}
    return {
      entries,
      hash: mac(
        'journal-seal',
        JSON.stringify([
          account,
          number,
          before?.hash.toString('hex') ?? null,
          position,
          createdAt,
          entries,
          ...of,
        ]),
      ),
    }
  })
}

/** So many rows of a table are hashed at once. */
const MAX_ROWS = 10_000

const nth = ({ table, position }: SealedTable) =>
  `(select ${position} from ${table} where merchant_account_id = $1 and ${position} >= $2::bigint order by ${position} offset ${MAX_ROWS} limit 1)`

const selectLinkEnd = `
select least($3::bigint, ${sealedTables.map(nth).join(', ')}) as position`

async function findLinkEnd(
  run: Statements,
  account: string,
  from: number | undefined,
  horizon: number,
): Promise<number> {
  const [row] = await run<{ position: number }>(selectLinkEnd, [account, from ?? FIRST_POSITION, horizon])
  const position = row?.position ?? horizon
  // all of one commit is in one link, however much that is
  return from !== undefined && position <= from ? from + 1 : position
}

const retiredTables = sealedTables.filter(({ retiredBy }) => retiredBy !== undefined)

const isDecidedSql = `merchant_account_id = $1 and settled_at is not null`

/** The rows about money: decided operations, events, settlements (docs/operations/verify.md). */
export const journalChain: Chain = {
  name: 'journal seal',
  logName: 'journal',
  seals: 'journal_seals',
  hasEntries: (from, below) =>
    sealedTables.map(({ table, position }) => hasRowsSql(table, position, from, below)).join('\n    or '),
  accounts: sealedTables.map(({ table }) => `select merchant_account_id from ${table}`).join(' union '),
  // a version before this one gave no places to operations
  countFrom: `
select (select count(*) from operations where ${isDecidedSql} and (journal_position is null or journal_position >= $2::bigint))
       + ${sealedTables
         .slice(1)
         .map(
           ({ table, position }) =>
             `(select count(*) from ${table} where merchant_account_id = $1 and (${position} is null or ${position} >= $2::bigint))`,
         )
         .join(' + ')} as count`,
  end: findLinkEnd,
  links,
  retiring: {
    hasRows: (below, from, end) =>
      retiredTables
        .map(
          ({ table, position, retiredBy }) =>
            `exists (select from ${table} r where r.merchant_account_id = $1 and r.${position} >= ${from} and r.${position} < ${end} and r.${retiredBy} < ${below})`,
        )
        .join('\n    or '),
    span: (below, of) =>
      `${of === 'min' ? 'least' : 'greatest'}(${retiredTables
        .map(
          ({ table, position, retiredBy }) =>
            `(select ${of}(r.${position}) from ${table} r where r.merchant_account_id = $1 and r.${retiredBy} < ${below})`,
        )
        .join(', ')})`,
  },
}
