import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { CardExpiry, Nullable, Words } from '../../api/schema.ts'
import { type Answer, badRequest, type Incoming, json } from '../provider.ts'
import type { Sandbox } from '../sandbox.ts'
import { firstError } from '../shape.ts'
import { awaitInquiry } from '../updater/updater.routes.ts'

const inquiryBody = Compile(Type.Object({ inquiry: Type.String(), result: Words('updated', 'closed'), expiration_date: Nullable(CardExpiry) }))

/** What the account updater will say when it is asked under this id. */
export function expectInquiry(sandbox: Sandbox, { body }: Incoming): Answer {
  if (!inquiryBody.Check(body)) return badRequest(firstError(inquiryBody, body))
  const { inquiry, result, expiration_date } = body
  awaitInquiry(sandbox, inquiry, result === 'closed' ? { result } : { result, ...(expiration_date !== null && { expiration_date }) })
  return json(200, {})
}
