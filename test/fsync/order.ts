import type { QueryResultRow } from 'pg'
import { openDatabase } from '../../src/database/database.ts'
import { readSettings } from '../../src/settings.ts'
import { type Syscalls, wasDurable } from './syscalls.ts'

/** A payment, and the numbers of the database's transactions that wrote it. */
interface Written extends QueryResultRow {
  id: string
  /** The operation that was sent to the payment service. */
  operation: string
  intended: string
  settled: string
}

/** The story of a payment has one row for each commit, and none of them is ever written again. */
const written = `
select o.transaction_id as id, o.id as operation, story.intended, story.settled
  from operations o, lateral (
    select (array_agg(e.xmin::text order by e.id))[1] as intended, (array_agg(e.xmin::text order by e.id desc))[1] as settled
      from transaction_events e where e.merchant_account_id = o.merchant_account_id and e.transaction_id = o.transaction_id) story
 where o.kind = 'authorize' and o.transaction_id = any($1)`

/** Reads from the stopped instance which transactions of the database wrote these payments. */
export async function writersOf(env: Record<string, string>, payments: readonly string[]): Promise<Written[]> {
  const database = await openDatabase(readSettings(env))
  return database.run<Written>(written, [payments]).finally(database.close)
}

interface Ordered {
  findings: string[]
  payments: number
  /** Commits that these payments were settled in: fewer where payments shared one. */
  commits: number
  /** Answers, and requests to the payment service, that left after the fsync of their commit. */
  answersInOrder: number
  requestsInOrder: number
}

/** Holds the order of what left the machine against the commits that it tells of: an answer against the one that settled the payment, a request to the payment service against the one that intended it. */
export function holdOrder(syscalls: Syscalls, commits: ReadonlyMap<number, number>, payments: readonly Written[]): Ordered {
  const findings: string[] = []
  const isInOrder = (what: string, payment: string, xid: string, line: number | undefined): boolean => {
    const position = commits.get(Number(xid))
    if (line === undefined) findings.push(`${payment}: ${what} was not seen to leave`)
    else if (position === undefined) findings.push(`${payment}: the commit ${xid} is not in the log`)
    else if (wasDurable(syscalls, position, line)) return true
    else findings.push(`${payment}: ${what} left before the fsync of its commit (line ${line} of the trace)`)
    return false
  }
  const answers = firstLines(syscalls, /HTTP\/1\.1 201 .*?\\"type\\":\\"transaction\\",\\"id\\":\\"([0-9a-f-]{36})/s)
  const requests = firstLines(syscalls, /POST \/.*?idempotency-key: ([0-9a-f-]{36})/is)
  const answered = payments.filter(({ id, settled }) => isInOrder('its answer', id, settled, answers.get(id)))
  const asked = payments.filter(({ id, operation, intended }) =>
    isInOrder('the request to the payment service', id, intended, requests.get(operation)),
  )
  return {
    findings,
    payments: payments.length,
    commits: new Set(payments.map(({ settled }) => settled)).size,
    answersInOrder: answered.length,
    requestsInOrder: asked.length,
  }
}

/** The line at which what this finds in a message, by its first group, was first sent. */
function firstLines({ sent }: Syscalls, pattern: RegExp): Map<string, number> {
  const lines = new Map<string, number>()
  for (const { line, text } of sent) {
    const [, id] = pattern.exec(text) ?? []
    if (id && !lines.has(id)) lines.set(id, line)
  }
  return lines
}
