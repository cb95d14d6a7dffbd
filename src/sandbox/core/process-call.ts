import type { ServerResponse } from 'node:http'
import type { Sandbox } from '../sandbox.ts'
import { send } from './http.ts'
import { giftCardOperationKinds, operationKinds } from './operation.ts'
import { type Answer, type Call, problem } from './provider-messages.ts'

/**
 * Sends the answer and records that the caller got it. An answer that the caller cannot read is not
 * delivered.
 */
export function deliver(response: ServerResponse, answer: Answer): void {
  if (!send(response, answer) || !answer.delivered) return
  try {
    answer.delivered()
  } catch {
    // the disk refused the entry: a pending operation is reported once more
  }
}

/**
 * Processes a call. It fails only if the books cannot be written: then the entry does not count, and the
 * caller gets a 500, as from a real provider.
 */
export async function processCall(sandbox: Sandbox, call: Call): Promise<Answer> {
  try {
    const answer = await call.process()
    rememberAnswer(sandbox, call.payment_service_id, answer)
    return answer
  } catch {
    return problem(500, 'internal_error', 'the books cannot be written')
  }
}

function rememberAnswer({ lastAnswers }: Sandbox, service: string, answer: Answer): void {
  if (answer.key === undefined) return
  const last = lastAnswers.get(service)
  const other = last?.find(({ key }) => key !== answer.key)
  lastAnswers.set(service, other ? [answer, other] : [answer])
}

/** The last answer of this payment service about another operation. */
export const earlierAnswer = ({ lastAnswers }: Sandbox, call: Call): Answer | undefined =>
  lastAnswers.get(call.payment_service_id)?.find(({ key }) => key !== call.key)

const moneyOperations: readonly string[] = [...operationKinds, ...giftCardOperationKinds]

/**
 * Marks a request that a fault delays, so that a lookup of its key answers that it is in progress. Returns
 * the function that removes the mark.
 */
export function markInProgress({ inProgress }: Sandbox, { key, operation }: Call): () => void {
  if (key === null || !moneyOperations.includes(operation)) return () => undefined
  inProgress.set(key, (inProgress.get(key) ?? 0) + 1)
  return () => {
    const left = (inProgress.get(key) ?? 0) - 1
    if (left > 0) inProgress.set(key, left)
    else inProgress.delete(key)
  }
}
