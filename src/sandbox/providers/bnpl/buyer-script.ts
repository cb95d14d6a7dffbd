import { Compile } from 'typebox/compile'
import { firstError } from '../../core/first-error.ts'
import { type Answer, json } from '../../core/provider-messages.ts'
import { ApprovalBody, ExpressBody } from './bnpl.schema.ts'
import { findDocument } from './documents.ts'
import { errorAnswer } from './refusals.ts'
import type { Request } from './request.ts'
import { approveBasket, approveSession, findOpenSession } from './session.ts'

/** What the provider's script does in a buyer's browser, on the merchant's page: any origin may ask. */
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, accept',
}

export const withCors = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, ...corsHeaders } })

const approvalBody = Compile(ApprovalBody)

/** The buyer of a client integration decides. Who is not approved may try again. */
export function approveInClient({ sandbox, service, incoming: { body } }: Request, clientToken: string): Answer {
  if (!approvalBody.Check(body)) return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(approvalBody, body)}`)
  const client = findDocument(sandbox, service, 'client', clientToken)
  const session = client && findOpenSession(sandbox, service, client.session)
  if (!session) return errorAnswer(404, 'NOT_FOUND', 'There is no such session')
  return json(200, body.approved ? { approved: true, authorization_token: approveSession(sandbox, session) } : { approved: false })
}

const expressBody = Compile(ExpressBody)

/** The express button: approved before the merchant's server knows of it. */
export function approveExpress({ sandbox, service, incoming: { body } }: Request): Answer {
  if (!expressBody.Check(body)) return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(expressBody, body)}`)
  const { approved, client_id: _, ...basket } = body
  return json(200, approved ? { approved, authorization_token: approveBasket(sandbox, service, null, basket) } : { approved })
}
