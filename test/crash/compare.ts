import { setTimeout as wait } from 'node:timers/promises'
import { isBuyerStep, isOpen } from '../../src/operations/operation.ts'
import { askAboutPending, replaysEqual, stillThere, undecided } from './acknowledged.ts'
import { type Books, readBooks } from './books.ts'
import type { Client } from './client.ts'
import type { Load } from './load.ts'
import {
  type Findings,
  oneEffectPerKey,
  oneEffectPerRequest,
  sameOperations,
  samePayments,
  sharedPayments,
  storedCards,
} from './oracle.ts'
import { samePayouts } from './payouts.oracle.ts'
import { type Ended, runVerify } from './process.ts'
import { type InstanceTables, readTables } from './read-tables.ts'
import type { Reviewer } from './reviewer.ts'
import { checkedFirst, heldCards, oneAttemptAtATime, reviewsFollowed } from './steps.oracle.ts'

/** The service under test, as one process or several. */
export interface Service {
  /** Ends it with SIGTERM. */
  stop(): Promise<Ended[]>
  /** Starts it again, and waits until it is ready. */
  start(): Promise<void>
}

interface Compared {
  client: Client
  load: Load
  reviewer: Reviewer
  service: Service
  env: Record<string, string>
  sandboxUrl: string
  booksFile: string
  progress(line: string): void
}

const DECIDED_WITHIN_MS = 30_000

/**
 * Ends the load on a service that is healthy again, and compares its data with the clients' answers and the
 * payment service's books. It stops the service.
 */
export async function compare(
  compared: Compared,
): Promise<{ findings: Findings; tables: InstanceTables; books: Books; replays: number }> {
  const { client, load, reviewer, service, env, sandboxUrl, booksFile, progress } = compared
  const findings: Findings = []
  const deadline = performance.now() + DECIDED_WITHIN_MS
  const answered = () => client.log.filter(({ answer }) => answer).length
  const before = answered()
  // whether other requests were answered tells a stuck service from a slow one
  if (!(await load.finish(DECIDED_WITHIN_MS)))
    findings.push(
      `${client.inFlight.size} requests got no answer within ${DECIDED_WITHIN_MS} ms, and ${answered() - before} did`,
    )
  progress(`load ended: ${client.log.length} requests`)
  let left = await undecided(client)
  while (left.length > 0 && performance.now() < deadline) {
    await wait(100)
    left = await undecided(client)
  }
  progress(
    `${left.length} undecided after ${Math.round(performance.now() - deadline + DECIDED_WITHIN_MS)} ms`,
  )
  if (left.length > 0)
    findings.push(`${left.length} are undecided after ${DECIDED_WITHIN_MS} ms: ${left.slice(0, 5)}`)
  await askAboutPending(client)

  findings.push(...(await stillThere(client)))
  const { replays, findings: unequal } = await replaysEqual(client)
  findings.push(...unequal)
  progress(`${replays} replays compared`)

  // an undecided increment is only in the journal
  let tables = await stopAndRead(service, env, findings)
  // a cardholder who answered at the last moment may leave a decided review to recovery
  const isUnfinished = () => openOf(tables).length > 0 || reviewsFollowed(tables, reviewer.heard).length > 0
  while (isUnfinished() && performance.now() < deadline) {
    await service.start()
    await wait(1_000)
    tables = await stopAndRead(service, env, findings)
  }
  findings.push(
    ...openOf(tables).map(
      (row) =>
        `${row.kind} ${row.id} is ${row.status} after ${row.checks} lookups, the next at ${row.check_at}`,
    ),
  )
  const verified = await runVerify(env)
  if (verified.code !== 0 || !/ 0 findings, 0 operations undecided/.test(verified.output))
    findings.push(`railyard verify: ${verified.output.trim()}`)

  const books = await readBooks(sandboxUrl, booksFile)
  findings.push(
    ...oneEffectPerKey(books),
    ...sameOperations(tables, books),
    ...samePayments(tables, books),
    ...samePayouts(tables, books),
    ...sharedPayments(tables, books),
    ...storedCards(tables, client.log),
    ...oneEffectPerRequest(tables, client.log),
    ...oneAttemptAtATime(tables),
    ...checkedFirst(tables),
    ...reviewsFollowed(tables, reviewer.heard),
    ...heldCards(tables),
  )
  findings.push(
    ...client.log
      .filter(({ answer }) => answer && answer.status >= 500)
      .map(({ action, answer }) => `${action} was answered ${answer?.text}`),
  )
  return { findings, tables, books, replays }
}

/** Open operations, without the approvals of buyers who never came. */
const openOf = ({ operations }: InstanceTables) =>
  [...operations.values()].filter(
    (row) => isOpen(row.status) && !(isBuyerStep(row) && row.status === 'pending'),
  )

async function stopAndRead(
  service: Service,
  env: Record<string, string>,
  findings: Findings,
): Promise<InstanceTables> {
  for (const { code, output } of await service.stop())
    if (code !== 0) findings.push(`the service stopped with code ${code}: ${output}`)
  return readTables(env)
}
