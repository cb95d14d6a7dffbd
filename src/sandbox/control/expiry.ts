import { Type } from 'typebox'
import { Compile } from '../../base/compile.ts'
import { record } from '../core/books.ts'
import { firstError } from '../core/first-error.ts'
import { type Answer, badRequest, type Incoming, json, problem } from '../core/provider-messages.ts'
import type { Sandbox } from '../sandbox.ts'

const expiryBody = Compile(Type.Object({ service: Type.String(), payment: Type.String() }))

/**
 * Expires an authorization now. No notification is sent, as in production, and later captures fail. 409: it
 * holds no money.
 */
export function expireAuthorization(sandbox: Sandbox, { body }: Incoming): Answer {
  if (!expiryBody.Check(body)) return badRequest(firstError(expiryBody, body))
  const payment = sandbox.books.payments.get(body.payment)
  if (payment?.payment_service_id !== body.service)
    return problem(409, 'unknown_payment', 'the payment service does not know of it')
  if (payment.authorization !== 'approved' || payment.voided || payment.final)
    return problem(409, 'no_authorization', 'it holds no money any more')
  // a time in the past, since an authorization is valid until its expiry time
  const at = new Date(sandbox.clock.now() - 1_000).toISOString()
  record(sandbox.books, { entry: 'expired', payment: payment.payment_id, at })
  sandbox.providers.get(payment.provider)?.expire?.(sandbox, payment)
  return json(200, { authorization_expires_at: at })
}
