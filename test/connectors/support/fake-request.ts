import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import type { Contract } from '../../contracts/contract.ts'

export type Body = Readonly<Record<string, unknown>>

/** A request that a fake provider has processed. `key`: its idempotency key. */
export interface ProcessedRequest {
  method: string
  path: string
  body: Body
  key: string | undefined
}

/** The members of a request's body; a body that is no object has none. */
export const membersIn = (body: unknown): Body =>
  typeof body === 'object' && body !== null ? { ...body } : {}

/** The fake's answer, which must be one of the provider's contract: throws if it is not. */
export function inContract(
  contract: Contract,
  { method, path }: Pick<ProcessedRequest, 'method' | 'path'>,
  answer: FakeAnswer,
): FakeAnswer {
  const { status, body, headers } = answer
  const wrong = contract.response({ method, path, status, body, ...(headers && { headers }) })
  if (wrong.length > 0) throw new Error(`the fake breaks the contract: ${method} ${path} ${wrong.join('; ')}`)
  return answer
}
