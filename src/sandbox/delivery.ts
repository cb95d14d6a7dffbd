import type { ServerResponse } from 'node:http'
import type { FaultItem, FaultKind } from './fault.schema.ts'
import { strike } from './faults.ts'
import { send } from './http.ts'
import { type OperationKind, operationKinds } from './operation.ts'
import { type Answer, type Call, problem } from './provider.ts'
import { later, type Sandbox } from './sandbox.ts'

/** Processes a call and answers it, with the fault that strikes it, if any. */
export function serve(sandbox: Sandbox, call: Call, response: ServerResponse): void {
  const fault = sandbox.faults.length === 0 ? null : strike(sandbox.faults, targetOf(sandbox, call), sandbox.clock.now())
  if (fault) faultKinds[fault.item.kind]({ sandbox, call, response, item: fault.item })
  else deliver(response, process(sandbox, call))
}

const targetOf = (sandbox: Sandbox, call: Call) => ({
  payment_service_id: call.payment_service_id,
  operation: call.operation,
  repeatable: earlierAnswer(sandbox, call) !== undefined,
})

interface Struck {
  sandbox: Sandbox
  call: Call
  response: ServerResponse
  item: FaultItem
}

/** What each fault does. An answer that the caller cannot read is not `deliver`ed: nobody was told of what is pending. */
const faultKinds: Record<FaultKind, (struck: Struck) => void> = {
  delay({ sandbox, call, response, item }) {
    const release = hold(sandbox, call)
    later(sandbox, item.delay_ms ?? 0, () => {
      release()
      deliver(response, process(sandbox, call))
    })
  },
  error({ response }) {
    send(response, 503, problem(503, 'service_unavailable', 'try again later').body)
  },
  lost({ sandbox, call, response }) {
    process(sandbox, call)
    response.socket?.destroy()
  },
  reset({ response }) {
    response.socket?.resetAndDestroy()
  },
  malformed({ sandbox, call, response }) {
    const { body } = process(sandbox, call)
    send(response, 200, body.slice(0, body.length / 2))
  },
  empty({ sandbox, call, response }) {
    process(sandbox, call)
    send(response, 200, '')
  },
  duplicate({ sandbox, call, response }) {
    const earlier = earlierAnswer(sandbox, call)
    const answer = process(sandbox, call)
    send(response, earlier?.status ?? answer.status, earlier?.body ?? answer.body)
  },
  outage({ response }) {
    response.socket?.destroy()
  },
}

function deliver(response: ServerResponse, answer: Answer): void {
  if (!send(response, answer.status, answer.body) || !answer.delivered) return
  try {
    answer.delivered()
  } catch {
    // The disk refused the note that the caller knows: it is told once more.
  }
}

/** A failure here is the disk refusing the books: the entry does not count, and the caller learns no more than from a real provider. */
function process(sandbox: Sandbox, call: Call): Answer {
  try {
    const answer = call.process()
    remember(sandbox, call.payment_service_id, answer)
    return answer
  } catch {
    return problem(500, 'internal_error', 'the books cannot be written')
  }
}

function remember({ lastAnswers }: Sandbox, service: string, answer: Answer): void {
  if (answer.key === undefined) return
  const last = lastAnswers.get(service)
  const other = last?.find(({ key }) => key !== answer.key)
  lastAnswers.set(service, other ? [answer, other] : [answer])
}

const earlierAnswer = ({ lastAnswers }: Sandbox, call: Call): Answer | undefined =>
  lastAnswers.get(call.payment_service_id)?.find(({ key }) => key !== call.key)

const isMoney = (operation: string): operation is OperationKind => (operationKinds as readonly string[]).includes(operation)

/** While a money request is held, a lookup of its key says that it is in progress. */
function hold({ held }: Sandbox, { key, operation }: Call): () => void {
  if (key === null || !isMoney(operation)) return () => undefined
  held.set(key, (held.get(key) ?? 0) + 1)
  return () => {
    const left = (held.get(key) ?? 0) - 1
    if (left > 0) held.set(key, left)
    else held.delete(key)
  }
}
