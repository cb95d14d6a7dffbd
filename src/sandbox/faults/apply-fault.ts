import type { ServerResponse } from 'node:http'
import { send } from '../core/http.ts'
import { deliver, earlierAnswer, markInProgress, processCall } from '../core/process-call.ts'
import { type Answer, type Call, problem } from '../core/provider-messages.ts'
import { runAfter, type Sandbox } from '../sandbox.ts'
import { withWrongAmounts, withWrongIds } from './distort-answer.ts'
import { MAX_DELAY_MS, type RequestFault } from './fault.schema.ts'
import { type AppliedFault, applyRequestFault } from './faults.ts'
import { logNormal } from './seeded-random.ts'

/** Processes a call and sends its answer, with the fault that applies, if any. */
export async function answerCall(sandbox: Sandbox, call: Call, response: ServerResponse): Promise<void> {
  const fault =
    sandbox.faults.length === 0
      ? null
      : applyRequestFault(sandbox.faults, targetOf(sandbox, call), sandbox.clock.now())
  if (fault) await requestFaultEffects[fault.item.kind]({ sandbox, call, response, fault })
  else deliver(response, await processCall(sandbox, call))
}

const targetOf = (sandbox: Sandbox, call: Call) => ({
  payment_service_id: call.payment_service_id,
  operation: call.operation,
  repeatable: earlierAnswer(sandbox, call) !== undefined,
  bin: call.bin ?? null,
})

interface FaultedCall {
  sandbox: Sandbox
  call: Call
  response: ServerResponse
  fault: AppliedFault<RequestFault>
}

const unavailable = problem(503, 'service_unavailable', 'try again later')

/**
 * The time between two bytes of the answer. It is never complete: the caller has time limits, this server has
 * none.
 */
const TRICKLE_MS = 250

/**
 * The effect of each fault (docs/reference/faults.md). An answer that the caller cannot read is not
 * `deliver`ed.
 */
const requestFaultEffects: Record<RequestFault, (faulted: FaultedCall) => void | Promise<void>> = {
  delay({ sandbox, call, response, fault: { item, draw } }) {
    const { delay_ms: delay = 0 } = item
    const release = markInProgress(sandbox, call)
    runAfter(sandbox, typeof delay === 'number' ? delay : logNormal(draw, delay, MAX_DELAY_MS), async () => {
      release()
      deliver(response, await processCall(sandbox, call))
    })
  },
  rate_limit({ response }) {
    send(response, { ...problem(429, 'too_many_requests', 'slow down'), headers: { 'retry-after': '1' } })
  },
  async decline({ sandbox, call, response }) {
    const { key } = call
    if (key !== null) sandbox.declining.add(key)
    const answer = await processCall(sandbox, call)
    if (key !== null) sandbox.declining.delete(key)
    deliver(response, answer)
  },
  error({ response }) {
    send(response, unavailable)
  },
  async error_after({ sandbox, call, response }) {
    await processCall(sandbox, call)
    send(response, unavailable)
  },
  reset({ response }) {
    response.socket?.resetAndDestroy()
  },
  async lost({ sandbox, call, response }) {
    await processCall(sandbox, call)
    response.socket?.destroy()
  },
  // until the caller gives up or the sandbox ends
  timeout() {},
  async timeout_after({ sandbox, call }) {
    await processCall(sandbox, call)
  },
  outage({ response }) {
    response.socket?.destroy()
  },
  async malformed({ sandbox, call, response }) {
    const { body } = await processCall(sandbox, call)
    send(response, { status: 200, body: body.slice(0, body.length / 2) || '{' })
  },
  async empty({ sandbox, call, response }) {
    await processCall(sandbox, call)
    send(response, { status: 200, body: '' })
  },
  async truncated({ sandbox, call, response }) {
    const answer = await processCall(sandbox, call)
    sendHeaders(response, answer)
    response.write(answer.body.slice(0, answer.body.length / 2), () => response.socket?.destroy())
  },
  async slow_loris({ sandbox, call, response }) {
    const answer = await processCall(sandbox, call)
    sendHeaders(response, answer)
    trickle(sandbox, response, answer.body)
  },
  async duplicate({ sandbox, call, response }) {
    const earlier = earlierAnswer(sandbox, call)
    const answer = await processCall(sandbox, call)
    send(response, earlier ?? answer)
  },
  async wrong_id({ sandbox, call, response }) {
    const answer = await processCall(sandbox, call)
    send(response, { ...answer, body: withWrongIds(answer.body, sandbox.ids.next) })
  },
  async wrong_amount({ sandbox, call, response }) {
    const answer = await processCall(sandbox, call)
    send(response, { ...answer, body: withWrongAmounts(answer.body) })
  },
}

/** Sends the headers, which promise the whole body. */
function sendHeaders(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body) + 1,
    ...headers,
  })
  response.flushHeaders()
}

function trickle(sandbox: Sandbox, response: ServerResponse, left: string): void {
  if (left === '' || response.destroyed) return
  response.write(left.slice(0, 1))
  runAfter(sandbox, TRICKLE_MS, () => trickle(sandbox, response, left.slice(1)))
}
