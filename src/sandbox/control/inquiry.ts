import { Type } from 'typebox'
import { CardExpiry, Nullable, Words } from '../../api/schema.ts'
import { Compile } from '../../base/compile.ts'
import { firstError } from '../core/first-error.ts'
import { type Answer, badRequest, type Incoming, json } from '../core/provider-messages.ts'
import { setScriptedUpdate } from '../providers/account-updater/account-updater.routes.ts'
import type { Sandbox } from '../sandbox.ts'

const inquiryBody = Compile(
  Type.Object({
    inquiry: Type.String(),
    result: Words('updated', 'closed'),
    expiration_date: Nullable(CardExpiry),
  }),
)

/** Sets the account updater's answer to the inquiry with this id. */
export function setInquiryAnswer(sandbox: Sandbox, { body }: Incoming): Answer {
  if (!inquiryBody.Check(body)) return badRequest(firstError(inquiryBody, body))
  const { inquiry, result, expiration_date } = body
  setScriptedUpdate(
    sandbox,
    inquiry,
    result === 'closed' ? { result } : { result, ...(expiration_date !== null && { expiration_date }) },
  )
  return json(200, {})
}
