import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { isStatementError, releaseAfter, runOnConnection, runOnOwnConnection } from './run-statement.ts'

/** Runs statements, some of which may share a commit with others. To its caller each is a commit by itself. */
export interface SharedCommits {
  run(query: QueryConfig): Promise<QueryResult>
  /** Runs a statement in a commit of its own. */
  runAlone(query: QueryConfig): Promise<QueryResult>
  /** The number of statements that wait for a connection: each that statements may share is in use. */
  readonly waiting: number
}

/** A statement, and the caller that waits for its result. */
interface WaitingStatement {
  query: QueryConfig
  answer: PromiseWithResolvers<QueryResult>
  /** How often another statement of its transaction was refused. */
  refusals: number
}

/**
 * The maximum number of connections, beside those of statements that are late alone: with more, fewer statements would
 * share a commit.
 */
const MAX_CONNECTIONS = 3
/** The maximum number of statements in a commit: the first one waits for all of them. */
const MAX_STATEMENTS = 16
/**
 * How long a shared commit waits for a lock, and others for an answer, or for a new connection, before they take another
 * one: a server may be slow, and a statement that is alone waits for its lock with the usual timeout. That one keeps its
 * connection of the pool, and leaves the shared one to others.
 */
const MAX_WAIT_MS = 50
/**
 * After so many refusals a statement runs alone: a client whose statements are always refused, such as a
 * repeated key, must not delay the others again and again.
 */
const MAX_REFUSALS = 2

/**
 * A statement that would wait for a lock is refused in the shared commit, and then waits alone with the usual
 * timeout.
 */
const BEGIN = `begin; set local lock_timeout = ${MAX_WAIT_MS}`

/**
 * A statement is sent at once if no other is under way. Those that come meanwhile are sent together as soon as that
 * one is answered: one transaction, one fsync, one round trip. A further connection is used only if more of them wait
 * than one commit takes, or if an answer or a new connection is late. So a single statement costs what it always did, and the more there
 * are, the less each costs (docs/decisions/015).
 *
 * To its caller each is by itself: it returns once it is committed, and gets only its own error. If one of
 * them is refused, nothing was written: that one runs alone, and succeeds or fails for its own reasons, and
 * the others are sent again without it. If the connection breaks, it is not known what was written, and each
 * caller gets that error.
 */
export function shareCommits(pool: Pool): SharedCommits {
  const waiting: WaitingStatement[] = []
  const maxSenders = Math.min(MAX_CONNECTIONS, Math.ceil(pool.options.max / 2))
  /**
   * How many `sendWaiting` run, how many of them wait for a connection, how many for the answer to a commit, and how many
   * for either for so long that they are late.
   */
  let senders = 0
  let connecting = 0
  let sending = 0
  let late = 0

  /** Whether more statements wait than so many senders take with their next commits. One that is late takes none. */
  const areTooManyFor = (others: number) => waiting.length > (others - late) * MAX_STATEMENTS

  function startSender(): void {
    if (senders < maxSenders && areTooManyFor(senders)) void sendWaiting()
  }

  /**
   * Sends the waiting statements until there are none, or the other senders will do. Between two round trips other
   * users of the pool get their turn.
   */
  async function sendWaiting(): Promise<void> {
    senders += 1
    while (areTooManyFor(senders - 1)) {
      connecting += 1
      const connection = await orLate(
        pool.connect().then(
          (client) => ({ client }),
          (reason: unknown) => ({ reason }),
        ),
      )
      // waiting statements share the available connections
      const share = Math.ceil(waiting.length / connecting)
      connecting -= 1
      if ('reason' in connection) {
        if (sending > 0) break
        // otherwise this sender goes on with a connection that has become free
        if (pool.idleCount === 0) refuseAll(connection.reason)
        continue
      }
      const { client } = connection
      const [first, ...others] = waiting.splice(0, Math.min(MAX_STATEMENTS, share))
      if (!first) {
        client.release()
        continue
      }
      const isAlone = others.length === 0
      const answered = isAlone
        ? answerWith(first, runOnConnection(client, first.query))
        : together(client, [first, ...others])
      sending += 1
      const isLate = !(await isAnsweredSoon(answered))
      sending -= 1
      if (isLate && !isAlone) await whileLate(answered)
    }
    senders -= 1
  }

  const orLate = async <T>(work: Promise<T>): Promise<T> =>
    (await isAnsweredSoon(work)) ? work : whileLate(work)

  /** Other senders take the waiting statements meanwhile. */
  async function whileLate<T>(work: Promise<T>): Promise<T> {
    late += 1
    startSender()
    return work.finally(() => {
      late -= 1
    })
  }

  /** No connection became free within the timeout, or the server has no room for one. */
  function refuseAll(reason: unknown): void {
    for (const { answer } of waiting.splice(0)) answer.reject(reason)
  }

  async function together(client: PoolClient, batch: WaitingStatement[]): Promise<void> {
    try {
      const refused = await inOneTransaction(client, batch)
      if (refused === undefined) return
      for (const one of batch) one.refusals += 1
      const goesAlone = (one: WaitingStatement) => one === refused || one.refusals === MAX_REFUSALS
      waiting.unshift(...batch.filter((one) => !goesAlone(one)))
      for (const one of batch.filter(goesAlone)) void answerWith(one, runOnOwnConnection(pool, one.query))
    } catch (reason) {
      for (const { answer } of batch) answer.reject(reason)
    }
  }

  return {
    run(query) {
      const answer = Promise.withResolvers<QueryResult>()
      waiting.push({ query, answer, refusals: 0 })
      startSender()
      return answer.promise
    },
    runAlone: (query) => runOnOwnConnection(pool, query),
    get waiting() {
      return senders < maxSenders ? 0 : waiting.length
    },
  }
}

/** Whether a statement is answered before others take another connection; if not, this returns at that time. */
async function isAnsweredSoon(answered: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(late.resolve, MAX_WAIT_MS, false)
  const isSoon = await Promise.race([answered.then(() => true), late.promise])
  clearTimeout(timer)
  return isSoon
}

const answerWith = ({ answer }: WaitingStatement, result: Promise<QueryResult>): Promise<void> =>
  result.then(answer.resolve, answer.reject)

/**
 * Sends the whole transaction before the first answer comes. Resolves every caller once it is committed;
 * otherwise returns the refused statement, or the first one if only the commit was refused. Throws if the
 * connection broke.
 */
const inOneTransaction = (
  client: PoolClient,
  batch: WaitingStatement[],
): Promise<WaitingStatement | undefined> =>
  releaseAfter(client, async () => {
    const begun = client.query(BEGIN)
    const sent = batch.map((one) => ({ one, result: client.query(one.query) }))
    const [commit, , ...results] = await Promise.allSettled([
      client.query('commit'),
      begun,
      ...sent.map(({ result }) => result),
    ])
    if (commit.status === 'rejected' && !isStatementError(commit.reason)) throw commit.reason
    // PostgreSQL rolls back at the commit of a transaction in which a statement was refused
    if (commit.status === 'rejected' || commit.value.command !== 'COMMIT')
      return batch[results.findIndex(({ status }) => status === 'rejected')] ?? batch[0]
    for (const { one, result } of sent) one.answer.resolve(result)
    return undefined
  })
