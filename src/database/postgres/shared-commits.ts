import type { Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { isStatementError, releaseAfter, runOnConnection, runOnOwnConnection } from './run-statement.ts'

/** Runs statements of which each is a commit by itself to its caller, and may in truth share one with others. */
export interface SharedCommits {
  run(query: QueryConfig): Promise<QueryResult>
  /** How many wait until it is their turn. */
  readonly waiting: number
}

/** A statement on its way, and the caller who waits for what it answers. */
interface WaitingStatement {
  query: QueryConfig
  answer: PromiseWithResolvers<QueryResult>
  /** How often others that it was with were refused. */
  refusals: number
}

/** How many connections carry them at most: with more, fewer would share a commit. */
const MAX_CARRIERS = 3
/** How many share one at most: whoever is first waits for all of them. */
const MAX_CONCURRENT = 16
/** After so many it goes alone: whoever sends what is always refused, such as a key that is taken, must not hold up the others again and again. */
const MAX_SETBACKS = 2

/** Who would have to wait for a lock lets the others go on, and waits by itself, with all the patience that there is. */
const BEGIN = 'begin; set local lock_timeout = 50'

/**
 * What waits for a connection goes over as soon as there is one, all together: one transaction, one fsync, one trip. Nobody is made to wait for others to come, so a statement
 * that comes alone costs what it always did, and the more there are the less each costs (docs/decisions/015).
 *
 * To its caller each is by itself: it is answered once it is committed, and an error is its own. Where one of them is refused nothing was written: that one runs alone,
 * to be refused for reasons of its own or not at all, and the others go on without it. Where the connection breaks nobody knows what was written, and each is told so, as ever.
 */
export function shareCommits(pool: Pool): SharedCommits {
  const waiting: WaitingStatement[] = []
  const mostCarriers = Math.min(MAX_CARRIERS, Math.ceil(pool.options.max / 2))
  let carriers = 0
  let empty = 0

  /** Takes what waits to the database, again and again while there is any. Between two trips those who wait for the pool have their turn. */
  async function carry(): Promise<void> {
    carriers += 1
    while (waiting.length > 0) {
      empty += 1
      const client = await pool.connect().catch(refuseAll)
      // those that wait for a connection share what there is
      const [first, ...others] = client ? waiting.splice(0, Math.min(MAX_CONCURRENT, Math.ceil(waiting.length / empty))) : []
      empty -= 1
      if (!client) break
      if (!first) client.release()
      else if (others.length === 0) await answerWith(first, runOnConnection(client, first.query))
      else await together(client, [first, ...others])
    }
    carriers -= 1
  }

  /** Nobody was given a connection for as long as anybody waits for one. */
  function refuseAll(reason: unknown): undefined {
    for (const { answer } of waiting.splice(0)) answer.reject(reason)
  }

  async function together(client: PoolClient, batch: WaitingStatement[]): Promise<void> {
    try {
      const refused = await inOneTransaction(client, batch)
      if (refused === undefined) return
      for (const one of batch) one.refusals += 1
      const goesAlone = (one: WaitingStatement) => one === refused || one.refusals === MAX_SETBACKS
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
      if (carriers < mostCarriers) void carry()
      return answer.promise
    },
    get waiting() {
      return waiting.length
    },
  }
}

const answerWith = ({ answer }: WaitingStatement, result: Promise<QueryResult>): Promise<void> => result.then(answer.resolve, answer.reject)

/**
 * All of it is sent before the first answer comes. Answers everybody once it is committed; otherwise says who was refused, or where only the commit was, who was first.
 * Throws where the connection broke.
 */
const inOneTransaction = (client: PoolClient, batch: WaitingStatement[]): Promise<WaitingStatement | undefined> =>
  releaseAfter(client, async () => {
    const begun = client.query(BEGIN)
    const sent = batch.map((one) => ({ one, result: client.query(one.query) }))
    const [commit, , ...results] = await Promise.allSettled([client.query('commit'), begun, ...sent.map(({ result }) => result)])
    if (commit.status === 'rejected' && !isStatementError(commit.reason)) throw commit.reason
    // a transaction in which something was refused is rolled back when it is to be committed
    if (commit.status === 'rejected' || commit.value.command !== 'COMMIT')
      return batch[results.findIndex(({ status }) => status === 'rejected')] ?? batch[0]
    for (const { one, result } of sent) one.answer.resolve(result)
    return undefined
  })
