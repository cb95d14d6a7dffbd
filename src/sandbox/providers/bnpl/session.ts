import { Compile } from '../../../base/compile.ts'
import { firstError } from '../../core/first-error.ts'
import { notifyMerchant } from '../../core/notify-merchant.ts'
import { type Answer, json } from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'
import type { Sandbox } from '../../sandbox.ts'
import { type Basket, SessionBody, SessionUpdate } from './bnpl.schema.ts'
import { findDocument, hasExpired, type Session, storeDocument, timeFromNow } from './documents.ts'
import { errorAnswer } from './refusals.ts'
import { noContent } from './request.ts'

const HOUR_MS = 3_600_000
const SESSION_LIFE_MS = 48 * HOUR_MS
const TOKEN_LIFE_MS = HOUR_MS

const sessionBody = Compile(SessionBody)
const sessionUpdate = Compile(SessionUpdate)

/** Whether the lines of an order add up to its amount. */
const hasMatchingTotal = ({ order_amount, order_lines }: Basket) =>
  order_lines.reduce((sum, line) => sum + line.total_amount, 0) === order_amount

export function openSession({ sandbox, service, incoming: { body } }: ProviderRequest): Answer {
  if (!sessionBody.Check(body))
    return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(sessionBody, body)}`)
  if (!hasMatchingTotal(body))
    return errorAnswer(400, 'BAD_VALUE', 'Bad value: order_amount does not match the order_lines')
  const [id, client_token] = [sandbox.ids.next(), `sandbox_client_token_${sandbox.ids.next()}`]
  storeDocument(sandbox, 'session', id, {
    service,
    id,
    client_token,
    body,
    expires_at: timeFromNow(sandbox, SESSION_LIFE_MS),
    token: null,
  })
  storeDocument(sandbox, 'client', client_token, { service, session: id })
  return json(200, {
    session_id: id,
    client_token,
    payment_method_categories: [{ identifier: 'klarna', name: 'Pay later' }],
  })
}

/** A session that has not expired. */
export function findOpenSession(sandbox: Sandbox, service: string, id: string): Session | undefined {
  const session = findDocument(sandbox, service, 'session', id)
  return session && !hasExpired(sandbox, session) ? session : undefined
}

const noSession = () => errorAnswer(404, 'NOT_FOUND', 'There is no such session')

export function readSession({ sandbox, service }: ProviderRequest, id: string): Answer {
  const session = findOpenSession(sandbox, service, id)
  if (!session) return noSession()
  const { body, client_token, expires_at, token } = session
  return json(200, {
    ...body,
    client_token,
    expires_at,
    status: token ? 'complete' : 'incomplete',
    ...(token && { authorization_token: token }),
  })
}

export function updateSession({ sandbox, service, incoming: { body } }: ProviderRequest, id: string): Answer {
  const session = findOpenSession(sandbox, service, id)
  if (!session) return noSession()
  if (!sessionUpdate.Check(body))
    return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(sessionUpdate, body)}`)
  const updated = { ...session.body, ...body }
  if (!hasMatchingTotal(updated))
    return errorAnswer(400, 'BAD_VALUE', 'Bad value: order_amount does not match the order_lines')
  storeDocument(sandbox, 'session', id, { ...session, body: updated })
  return noContent
}

/** Takes the buyer's approval: makes a token and notifies the merchant. */
export function approveSession(sandbox: Sandbox, session: Session): string {
  const { service, id, body } = session
  const token = approveBasket(sandbox, service, id, body)
  storeDocument(sandbox, 'session', id, { ...session, token })
  const { merchant_reference1, merchant_reference2, merchant_urls } = body
  if (merchant_urls?.authorization) {
    const notification = {
      authorization_token: token,
      session_id: id,
      merchant_reference1,
      merchant_reference2,
    }
    const message = { body: JSON.stringify(notification) }
    void notifyMerchant({
      sandbox,
      payment_service_id: service,
      operation: 'approval',
      bin: null,
      url: merchant_urls.authorization,
      message,
    })
  }
  return token
}

/** Makes a token that is valid for this basket only. */
export function approveBasket(
  sandbox: Sandbox,
  service: string,
  session: string | null,
  basket: Basket,
): string {
  const token = sandbox.ids.next()
  const expires_at = timeFromNow(sandbox, TOKEN_LIFE_MS)
  storeDocument(sandbox, 'token', token, {
    service,
    token,
    session,
    basket,
    expires_at,
    used_by: null,
    cancelled: false,
  })
  return token
}
