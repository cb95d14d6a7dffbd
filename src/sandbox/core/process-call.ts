import type { ServerResponse } from 'node:http'
import type { Sandbox } from '../sandbox.ts'
import { send } from './http.ts'
import { giftCardOperationKinds, operationKinds } from './operation.ts'
import { type Answer, type Call, problem } from './provider-messages.ts'

/** Answers, and takes note that the caller knows. An answer that the caller cannot read is not delivered: nobody was told of what is pending. */
export function deliver(response: ServerResponse, answer: Answer): void {
  if (!send(response, answer) || !answer.delivered) return
  try {
    answer.delivered()
  } catch {
    // The disk refused the note that the caller knows: it is told once more.
  }
}

/** A failure here is the disk refusing the books: the entry does not count, and the caller learns no more than from a real provider. */
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

/** The last answer of this payment service that was about another operation. */
export const earlierAnswer = ({ lastAnswers }: Sandbox, call: Call): Answer | undefined =>
  lastAnswers.get(call.payment_service_id)?.find(({ key }) => key !== call.key)

const moneyOperations: readonly string[] = [...operationKinds, ...giftCardOperationKinds]

/** While a money request is held, a lookup of its key says that it is in progress. The answer lets it go. */
export function markInProgress({ inProgress }: Sandbox, { key, operation }: Call): () => void {
  if (key === null || !moneyOperations.includes(operation)) return () => undefined
  inProgress.set(key, (inProgress.get(key) ?? 0) + 1)
  return () => {
    const left = (inProgress.get(key) ?? 0) - 1
    if (left > 0) inProgress.set(key, left)
    else inProgress.delete(key)
  }
}
