import type { ServerResponse } from 'node:http'
import { deliver, earlierAnswer, hold, process } from './delivery.ts'
import { withWrongAmounts, withWrongIds } from './distortion.ts'
import { LONGEST_DELAY_MS, type RequestFault } from './fault.schema.ts'
import { logNormal } from './fault-chance.ts'
import { type Struck as StruckFault, strike } from './faults.ts'
import { send } from './http.ts'
import { type Answer, type Call, problem } from './provider.ts'
import { later, type Sandbox } from './sandbox.ts'

/** Processes a call and answers it, with the fault that strikes it, if any. */
export async function serve(sandbox: Sandbox, call: Call, response: ServerResponse): Promise<void> {
  const fault = sandbox.faults.length === 0 ? null : strike(sandbox.faults, targetOf(sandbox, call), sandbox.clock.now())
  if (fault) await faultKinds[fault.item.kind]({ sandbox, call, response, fault })
  else deliver(response, await process(sandbox, call))
}

const targetOf = (sandbox: Sandbox, call: Call) => ({
  payment_service_id: call.payment_service_id,
  operation: call.operation,
  repeatable: earlierAnswer(sandbox, call) !== undefined,
  bin: call.bin ?? null,
})

interface Struck {
  sandbox: Sandbox
  call: Call
  response: ServerResponse
  fault: StruckFault<RequestFault>
}

const unavailable = problem(503, 'service_unavailable', 'try again later')

/** A byte of the answer comes so often. It never comes whole: its caller has limits, and this server has not. */
const TRICKLE_MS = 250

/** What each fault does (docs/faults.md). An answer that the caller cannot read is not `deliver`ed. */
const faultKinds: Record<RequestFault, (struck: Struck) => void | Promise<void>> = {
  delay({ sandbox, call, response, fault: { item, draw } }) {
    const { delay_ms: delay = 0 } = item
    const release = hold(sandbox, call)
    later(sandbox, typeof delay === 'number' ? delay : logNormal(draw, delay, LONGEST_DELAY_MS), async () => {
      release()
      deliver(response, await process(sandbox, call))
    })
  },
  rate_limit({ response }) {
    send(response, { ...problem(429, 'too_many_requests', 'slow down'), headers: { 'retry-after': '1' } })
  },
  async decline({ sandbox, call, response }) {
    const { key } = call
    if (key !== null) sandbox.declining.add(key)
    const answer = await process(sandbox, call)
    if (key !== null) sandbox.declining.delete(key)
    deliver(response, answer)
  },
  error({ response }) {
    send(response, unavailable)
  },
  async error_after({ sandbox, call, response }) {
    await process(sandbox, call)
    send(response, unavailable)
  },
  reset({ response }) {
    response.socket?.resetAndDestroy()
  },
  async lost({ sandbox, call, response }) {
    await process(sandbox, call)
    response.socket?.destroy()
  },
  // the caller gives up, or the sandbox ends
  timeout() {},
  async timeout_after({ sandbox, call }) {
    await process(sandbox, call)
  },
  outage({ response }) {
    response.socket?.destroy()
  },
  async malformed({ sandbox, call, response }) {
    const { body } = await process(sandbox, call)
    send(response, { status: 200, body: body.slice(0, body.length / 2) || '{' })
  },
  async empty({ sandbox, call, response }) {
    await process(sandbox, call)
    send(response, { status: 200, body: '' })
  },
  async truncated({ sandbox, call, response }) {
    const answer = await process(sandbox, call)
    begin(response, answer)
    response.write(answer.body.slice(0, answer.body.length / 2), () => response.socket?.destroy())
  },
  async slow_loris({ sandbox, call, response }) {
    const answer = await process(sandbox, call)
    begin(response, answer)
    trickle(sandbox, response, answer.body)
  },
  async duplicate({ sandbox, call, response }) {
    const earlier = earlierAnswer(sandbox, call)
    const answer = await process(sandbox, call)
    send(response, earlier ?? answer)
  },
  async wrong_id({ sandbox, call, response }) {
    const answer = await process(sandbox, call)
    send(response, { ...answer, body: withWrongIds(answer.body, sandbox.ids.next) })
  },
  async wrong_amount({ sandbox, call, response }) {
    const answer = await process(sandbox, call)
    send(response, { ...answer, body: withWrongAmounts(answer.body) })
  },
}

/** Everything before the body, which it promises whole. */
function begin(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) + 1, ...headers })
  response.flushHeaders()
}

function trickle(sandbox: Sandbox, response: ServerResponse, left: string): void {
  if (left === '' || response.destroyed) return
  response.write(left.slice(0, 1))
  later(sandbox, TRICKLE_MS, () => trickle(sandbox, response, left.slice(1)))
}
