import type { Call, OrderForCall } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import type { BookFinding, Outcome } from '../contract/outcome.ts'
import { absent, failedOutcome, found, unknownOutcome, unsure } from '../contract/outcome.ts'
import { nonEmptyText } from '../wire/provider-text.ts'
import { sessionBody } from './basket.ts'
import { refusal } from './declines.ts'
import { type Answered, lostOutcome, money, segment, type Wire } from './wire.ts'

/**
 * Opens a session for the buyer's approval and, for a redirect, the provider's page for it (API §4.11).
 * Opening twice is harmless.
 */
export async function openApproval(wire: Wire, call: Call): Promise<Outcome> {
  const { operation, payment, service } = call
  const order = payment?.order
  if (!order) return failedOutcome('unexpected_state')
  const answer = await wire.send(call, {
    method: 'POST',
    path: '/payments/v1/sessions',
    key: operation.id,
    body: sessionBody(order, operation, service),
  })
  if (answer.lost) return lostOutcome(answer)
  if (answer.status !== 200) return refusal(answer)
  const session = nonEmptyText(answer.body['session_id'])
  const clientToken = nonEmptyText(answer.body['client_token'])
  if (!session || !clientToken) return unknownOutcome('the answer names no session')
  if (order.integrationClient === 'redirect') return openPage(wire, call, order, session)
  const sessionData = {
    client_token: clientToken,
    purchase_country: order.country,
    purchase_currency: operation.currency,
    amount: operation.amount,
  }
  return openedOutcome(session, session, { url: null, sessionData })
}

const openedOutcome = (
  reference: string,
  session: string,
  approval: { url: string | null; sessionData: Record<string, unknown> | null },
): Outcome => ({
  status: 'pending',
  facts: {},
  references: { transaction: reference, identifiers: { payment_service_session_id: session } },
  approval,
})

async function openPage(wire: Wire, call: Call, order: OrderForCall, session: string): Promise<Outcome> {
  const { approved, cancelled, failed } = order.returnUrls
  const sessionUrl = wire.url(call, `/payments/v1/sessions/${segment(session)}`)
  const answer = await wire.send(call, {
    method: 'POST',
    path: '/hpp/v1/sessions',
    // a second request of one operation needs its own idempotency key
    key: `${call.operation.id}-page`,
    body: {
      payment_session_url: sessionUrl,
      merchant_urls: {
        success: approved,
        cancel: cancelled,
        back: cancelled,
        failure: failed,
        error: failed,
        status_update: call.service.notificationUrl,
      },
      options: { place_order_mode: 'NONE' },
    },
  })
  if (answer.lost) return lostOutcome(answer)
  if (answer.status !== 201) return refusal(answer)
  const page = nonEmptyText(answer.body['session_id'])
  const url = nonEmptyText(answer.body['redirect_url'])
  return page && url && URL.canParse(url)
    ? openedOutcome(page, session, { url, sessionData: null })
    : unknownOutcome('the answer names no page')
}

/**
 * Reads whether the buyer has approved. Without a session there is nothing to approve: opening one is
 * harmless.
 */
export async function findApproval(wire: Wire, call: Call): Promise<BookFinding> {
  const { paymentReference: reference } = call.operation
  if (!reference) return absent
  const isPage = call.payment?.order?.integrationClient === 'redirect'
  const answer = await wire.send(call, {
    method: 'GET',
    path: `${isPage ? '/hpp' : '/payments'}/v1/sessions/${segment(reference)}`,
  })
  if (answer.lost) return unsure
  // its 48 hours are over, and the buyer can no longer approve it
  if (answer.status === 404) return failedFinding('incomplete_buyer_approval', 'The session has ended')
  if (answer.status !== 200) return unsure
  return isPage ? readPage(call, answer) : readSession(call, answer)
}

type Body = Pick<Answered, 'body'>

const pendingFinding = found<Outcome>({ status: 'pending', facts: {}, references: {} })

const failedFinding = (code: ErrorCode, reason: string): BookFinding =>
  found(failedOutcome(code, { raw_response_code: reason, raw_response_description: reason }))

const approvedFinding = (amount: number, token: string): BookFinding =>
  found({ status: 'approved', amount, facts: {}, references: {}, buyer: { token } })

/** The meaning of each state of the provider's page, except COMPLETED. */
const pageStates = new Map<string, BookFinding>([
  ['WAITING', pendingFinding],
  ['IN_PROGRESS', pendingFinding],
  ['MANUAL_ID_CHECK', pendingFinding],
  ['CANCELLED', failedFinding('cancelled_buyer_approval', 'CANCELLED')],
  ['BACK', failedFinding('cancelled_buyer_approval', 'BACK')],
  ['FAILED', failedFinding('failed_buyer_approval', 'FAILED')],
  ['ERROR', failedFinding('failed_buyer_approval', 'ERROR')],
  ['DISABLED', failedFinding('failed_buyer_approval', 'DISABLED')],
])

/**
 * A page has no amount. It belongs to the session that we opened, and the order that is placed is compared
 * with it.
 */
function readPage({ operation }: Call, { body }: Body): BookFinding {
  if (body['session_id'] !== operation.paymentReference) return unsure
  const status = nonEmptyText(body['status']) ?? ''
  const token = nonEmptyText(body['authorization_token'])
  if (status === 'COMPLETED') return token ? approvedFinding(operation.amount, token) : unsure
  return pageStates.get(status) ?? unsure
}

/**
 * The provider's script may change a session in the buyer's browser, so the approved amount is compared with
 * the operation's.
 */
function readSession({ operation }: Call, { body }: Body): BookFinding {
  if (body['merchant_reference2'] !== operation.id) return unsure
  const token = nonEmptyText(body['authorization_token'])
  if (body['status'] === 'incomplete') return pendingFinding
  if (body['status'] !== 'complete' || !token) return unsure
  const amount = money(body['order_amount'])
  if (amount !== operation.amount || body['purchase_currency'] !== operation.currency) {
    return failedFinding('failed_buyer_approval', 'The buyer approved another amount')
  }
  return approvedFinding(amount, token)
}

/**
 * Ends the approval. If the page cannot be closed that is harmless: only Railyard places orders, so an
 * approval on the page alone has no effect.
 */
export async function closeApproval(wire: Wire, call: Call): Promise<Outcome> {
  const { id, amount, paymentReference: page, identifiers } = call.operation
  const isPage = page !== null && page !== identifiers['payment_service_session_id']
  if (isPage) await wire.send(call, { method: 'DELETE', path: `/hpp/v1/sessions/${segment(page)}`, key: id })
  return { status: 'approved', amount, facts: {}, references: {} }
}
