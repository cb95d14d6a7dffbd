import type { QueryResultRow } from 'pg'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { type Syscalls, wasDurable } from './syscalls.ts'

const kinds = ['authorize', 'capture', 'refund'] as const

/**
 * An operation that was sent to the payment service, with the numbers of the database transactions that wrote
 * it.
 */
interface Written extends QueryResultRow {
  payment: string
  operation: string
  kind: (typeof kinds)[number]
  intended: string
  settled: string
}

/**
 * The commit that intends an operation writes an entry of the audit log, which is never updated; the one that records
 * its outcome is the last to write its row.
 */
const written = `
select o.transaction_id as payment, o.id as operation, o.kind, story.commits[o.place] as intended, o.writer as settled
  from (select *, xmin::text as writer, row_number() over (partition by transaction_id order by id) as place
          from operations
         where transaction_id = any($1)) o,
       lateral (select array_agg(a.xmin::text order by a.id) as commits
                  from audit_entries a
                 where a.merchant_account_id = o.merchant_account_id
                   and a.resource_id in (select o.transaction_id::text
                                          union all
                                         select id::text from operations same where same.merchant_account_id = o.merchant_account_id and same.transaction_id = o.transaction_id)) story`

/** Reads from the stopped instance which database transactions wrote the operations of these payments. */
export async function writersOf(
  env: Record<string, string>,
  payments: readonly string[],
): Promise<Written[]> {
  const database = await openDatabase(readSettings(env))
  return database.run<Written>(written, [payments]).finally(database.close)
}

/** The form of an operation's answer; the first group is the id of its resource. */
const answerOf = {
  authorize: /HTTP\/1\.1 201 .*?\\"type\\":\\"transaction\\",\\"id\\":\\"([0-9a-f-]{36})/s,
  capture: /HTTP\/1\.1 200 .*?\\"type\\":\\"transaction\\",\\"id\\":\\"([0-9a-f-]{36})/s,
  refund: /HTTP\/1\.1 201 .*?\\"type\\":\\"refund\\",\\"id\\":\\"([0-9a-f-]{36})/s,
} as const satisfies Record<Written['kind'], RegExp>

interface Ordered {
  findings: string[]
  operations: number
  /** The commits that recorded these operations' outcomes: fewer if they shared one. */
  commits: number
  /** Answers and requests to the payment service that left after the fsync of their commit. */
  answersInOrder: number
  requestsInOrder: number
}

/**
 * Compares the order of messages and commits: an answer must leave after the commit that recorded its
 * outcome, and a request to the payment service after the commit that intended it.
 */
export function holdOrder(
  syscalls: Syscalls,
  commits: ReadonlyMap<number, number>,
  operations: readonly Written[],
): Ordered {
  const findings: string[] = []
  const isInOrder = (
    what: string,
    { payment, kind }: Written,
    xid: string,
    line: number | undefined,
  ): boolean => {
    const position = commits.get(Number(xid))
    const about = `${kind} of ${payment}`
    if (line === undefined) findings.push(`${about}: ${what} was not seen to leave`)
    else if (position === undefined) findings.push(`${about}: the commit ${xid} is not in the log`)
    else if (wasDurable(syscalls, position, line)) return true
    else findings.push(`${about}: ${what} left before the fsync of its commit (line ${line} of the trace)`)
    return false
  }
  const answers = Object.fromEntries(kinds.map((kind) => [kind, firstLines(syscalls, answerOf[kind])]))
  const requests = firstLines(syscalls, /POST \/.*?idempotency-key: ([0-9a-f-]{36})/is)
  const shown = ({ kind, payment, operation }: Written) => (kind === 'refund' ? operation : payment)
  const answered = operations.filter((each) =>
    isInOrder('its answer', each, each.settled, answers[each.kind]?.get(shown(each))),
  )
  const asked = operations.filter((each) =>
    isInOrder('the request to the payment service', each, each.intended, requests.get(each.operation)),
  )
  return {
    findings,
    operations: operations.length,
    commits: new Set(operations.map(({ settled }) => settled)).size,
    answersInOrder: answered.length,
    requestsInOrder: asked.length,
  }
}

/** The line at which each text that the pattern's first group finds was first sent. */
function firstLines({ sent }: Syscalls, pattern: RegExp): Map<string, number> {
  const lines = new Map<string, number>()
  for (const { line, text } of sent) {
    const [, id] = pattern.exec(text) ?? []
    if (id) lines.set(id, Math.min(line, lines.get(id) ?? line))
  }
  return lines
}
