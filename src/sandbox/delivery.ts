import type { ServerResponse } from 'node:http'
import type { FaultItem, FaultKind } from './fault.schema.ts'
import { strike } from './faults.ts'
import { send } from './http.ts'
import { giftCardOperationKinds, operationKinds } from './operation.ts'
import { type Answer, type Call, problem } from './provider.ts'
import { later, type Sandbox } from './sandbox.ts'

/** Processes a call and answers it, with the fault that strikes it, if any. */
export async function serve(sandbox: Sandbox, call: Call, response: ServerResponse): Promise<void> {
  const fault = sandbox.faults.length === 0 ? null : strike(sandbox.faults, targetOf(sandbox, call), sandbox.clock.now())
  if (fault) await faultKinds[fault.item.kind]({ sandbox, call, response, item: fault.item })
  else deliver(response, await process(sandbox, call))
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
const faultKinds: Record<FaultKind, (struck: Struck) => void | Promise<void>> = {
  delay({ sandbox, call, response, item }) {
    const release = hold(sandbox, call)
    later(sandbox, item.delay_ms ?? 0, async () => {
      release()
      deliver(response, await process(sandbox, call))
    })
  },
  error({ response }) {
    send(response, problem(503, 'service_unavailable', 'try again later'))
  },
  async lost({ sandbox, call, response }) {
    await process(sandbox, call)
    response.socket?.destroy()
  },
  reset({ response }) {
    response.socket?.resetAndDestroy()
  },
  async malformed({ sandbox, call, response }) {
    const { body } = await process(sandbox, call)
    send(response, { status: 200, body: body.slice(0, body.length / 2) || '{' })
  },
  async empty({ sandbox, call, response }) {
    await process(sandbox, call)
    send(response, { status: 200, body: '' })
  },
  async duplicate({ sandbox, call, response }) {
    const earlier = earlierAnswer(sandbox, call)
    const answer = await process(sandbox, call)
    send(response, earlier ?? answer)
  },
  outage({ response }) {
    response.socket?.destroy()
  },
}

function deliver(response: ServerResponse, answer: Answer): void {
  if (!send(response, answer) || !answer.delivered) return
  try {
    answer.delivered()
  } catch {
    // The disk refused the note that the caller knows: it is told once more.
  }
}

/** A failure here is the disk refusing the books: the entry does not count, and the caller learns no more than from a real provider. */
async function process(sandbox: Sandbox, call: Call): Promise<Answer> {
  try {
    const answer = await call.process()
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

const moneyOperations: readonly string[] = [...operationKinds, ...giftCardOperationKinds]

/** While a money request is held, a lookup of its key says that it is in progress. */
function hold({ held }: Sandbox, { key, operation }: Call): () => void {
  if (key === null || !moneyOperations.includes(operation)) return () => undefined
  held.set(key, (held.get(key) ?? 0) + 1)
  return () => {
    const left = (held.get(key) ?? 0) - 1
    if (left > 0) held.set(key, left)
    else held.delete(key)
  }
}
