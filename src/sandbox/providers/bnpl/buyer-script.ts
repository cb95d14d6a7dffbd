import { Compile } from '../../../base/compile.ts'
import { firstError } from '../../core/first-error.ts'
import { type Answer, json } from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'
import { ApprovalBody, ExpressBody } from './bnpl.schema.ts'
import { findDocument } from './documents.ts'
import { errorAnswer } from './refusals.ts'
import { approveBasket, approveSession, findOpenSession } from './session.ts'

/** The requests of the provider's script on the merchant's page: any origin may send them. */
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type, accept',
}

export const withCors = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, ...corsHeaders },
})

const approvalBody = Compile(ApprovalBody)

/** Takes the decision of a buyer in a client integration. A declined buyer may try again. */
export function approveInClient(
  { sandbox, service, incoming: { body } }: ProviderRequest,
  clientToken: string,
): Answer {
  if (!approvalBody.Check(body))
    return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(approvalBody, body)}`)
  const client = findDocument(sandbox, service, 'client', clientToken)
  const session = client && findOpenSession(sandbox, service, client.session)
  if (!session) return errorAnswer(404, 'NOT_FOUND', 'There is no such session')
  return json(
    200,
    body.approved
      ? { approved: true, authorization_token: approveSession(sandbox, session) }
      : { approved: false },
  )
}

const expressBody = Compile(ExpressBody)

/** Takes an approval by the express button, before the merchant's server knows of it. */
export function approveExpress({ sandbox, service, incoming: { body } }: ProviderRequest): Answer {
  if (!expressBody.Check(body))
    return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(expressBody, body)}`)
  const { approved, client_id: _, ...basket } = body
  return json(
    200,
    approved
      ? { approved, authorization_token: approveBasket(sandbox, service, null, basket) }
      : { approved },
  )
}
