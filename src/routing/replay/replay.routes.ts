import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ApiError, badRequest, concurrentRequest, invalid, serverError } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { errorBody } from '../../api/server/error-handler.ts'
import { timeOf } from '../../base/clock.ts'
import type { AdvisoryLock } from '../../database/postgres/advisory-lock.ts'
import { paymentServices } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import { Flow } from '../action.schema.ts'
import { DEFAULT_TRANSACTIONS, FlowRulesReplay, FlowRulesReplayCreate } from './replay.schema.ts'
import { isReplayable, type Progress, type ReplayRequest, replay } from './replay.ts'
import { replayLocks } from './replay-lock.ts'
import { toReplayReport } from './replay-result.ts'
import { type ReplayedRules, selectRulesToReplay } from './replay-rules.ts'

/** Returns the response; undefined if it was stopped early. */
type ReplayRun = AsyncGenerator<Progress, FlowRulesReplay | undefined>

/** The route that replays rules over past transactions. */
export const replayRoutes: Routes = (app, world) => {
  const locks = replayLocks(world)
  app.post(
    '/flows/:flow/rules/replay',
    {
      config: { scopes: ['flows.read'] },
      preValidation: bodyOrEmpty,
      schema: {
        operationId: 'replay_flow_rules',
        summary: 'Replay rules',
        description:
          'Answers what the rules would have decided of the last transactions, and the approval rate to expect. Railyard writes nothing and asks no payment service. With `Accept: application/x-ndjson` the answer is a stream of `{"progress":{"done","total"}}` lines, and last a line `{"result"}` or `{"error"}`. One replay of an account runs at a time.',
        tags: ['Flows'],
        headers: merchantAccountHeader,
        params: Type.Object({ flow: Flow }),
        body: FlowRulesReplayCreate,
        response: { 200: FlowRulesReplay },
      },
    },
    async (request, reply) => {
      const { account, body } = request
      const { flow } = request.params
      if (!isReplayable(flow))
        throw badRequest(`The rules of ${flow} decide what buyers are shown, and nothing about transactions`)
      const rules = await selectRulesToReplay(world, account, flow, body)
      const { transactions = DEFAULT_TRANSACTIONS, from, to } = body
      if (from && to && Date.parse(from) > Date.parse(to))
        throw invalid({ '/to': 'must not lie before from' })
      const window = { account, from: from ?? BEGINNING, to: to ?? timeOf(world.clock) }
      const lock = await locks.take(account)
      if (!lock) throw concurrentRequest('Another replay of this merchant account is running')
      // a client that disconnects before the first line has started no generator, which could release the
      // lock
      reply.raw.once('close', () => void lock.release())
      // the client may have disconnected while its rules were read
      if (reply.raw.closed) await lock.release()
      const running = releasingLock(
        lock,
        runReplay(world, { window, flow, rules: rules.compiled, transactions }, rules),
      )
      return wantsLines(request) ? sendLines(reply, linesOf(world, running)) : finishReplay(reply, running)
    },
  )
}

/** A time before any payment. */
const BEGINNING = '1970-01-01T00:00:00Z'

/** Without a body: the draft over the last transactions. */
async function bodyOrEmpty(request: { body: unknown }): Promise<void> {
  request.body ??= {}
}

const wantsLines = ({ headers }: FastifyRequest) => headers.accept?.includes('application/x-ndjson') ?? false

async function* runReplay(world: World, replayRequest: ReplayRequest, rules: ReplayedRules): ReplayRun {
  const { tally, leftOut, oldest, newest } = yield* replay(world, replayRequest)
  const services = new Map(
    (await paymentServices(world, replayRequest.window.account)).map(({ id, display_name }) => [
      id,
      display_name,
    ]),
  )
  return {
    type: 'flow-rules-replay',
    flow: replayRequest.flow,
    rules: { state: rules.state, version: rules.version },
    transactions: { replayed: tally.total, left_out: leftOut, oldest, newest },
    ...toReplayReport(tally, { services, rules: rules.names }),
  }
}

async function* releasingLock(lock: AdvisoryLock, running: ReplayRun): ReplayRun {
  try {
    return yield* running
  } finally {
    await lock.release()
  }
}

/** Answers with the result alone. It stops reading when the client has disconnected. */
async function finishReplay(reply: FastifyReply, running: ReplayRun): Promise<FlowRulesReplay | undefined> {
  for (;;) {
    const { done, value } = await (reply.raw.destroyed ? running.return(undefined) : running.next())
    if (done) return value
  }
}

const sendLines = (reply: FastifyReply, lines: AsyncGenerator<string>) =>
  reply.type('application/x-ndjson').send(Readable.from(lines))

const line = (value: unknown) => `${JSON.stringify(value)}\n`

async function* linesOf(world: World, running: ReplayRun): AsyncGenerator<string> {
  try {
    let step = await running.next()
    for (; !step.done; step = await running.next()) yield line({ progress: step.value })
    yield line({ result: step.value })
  } catch (error) {
    // the response has begun, so an error is its last line
    if (!(error instanceof ApiError)) world.log.error({ err: error }, 'a replay failed')
    yield line({ error: errorBody(error instanceof ApiError ? error : serverError()) })
  } finally {
    await running.return(undefined)
  }
}
