import type { Call, Finding, OrderForCall, Outcome } from '../connector.ts'
import { sessionBody } from './basket.ts'
import { refusal } from './declines.ts'
import { type Answered, lostOutcome, money, segment, text, unknownOutcome, type Wire } from './wire.ts'

/** Opens what the buyer approves: a session, and where they are sent to the provider a page for it (SPEC §4.11). Opening twice is harmless. */
export async function openApproval(wire: Wire, call: Call): Promise<Outcome> {
  const { operation, payment, service } = call
  const order = payment?.order
  if (!order) return { status: 'failed', code: 'unexpected_state', facts: {}, references: {} }
  const answer = await wire.send(call, {
    method: 'POST',
    path: '/payments/v1/sessions',
    key: operation.id,
    body: sessionBody(order, operation, service),
  })
  if (answer.lost) return lostOutcome(answer)
  if (answer.status !== 200) return refusal(answer)
  const session = text(answer.body['session_id'])
  const clientToken = text(answer.body['client_token'])
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
    // another request, so another key
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
  const page = text(answer.body['session_id'])
  const url = text(answer.body['redirect_url'])
  return page && url && URL.canParse(url) ? openedOutcome(page, session, { url, sessionData: null }) : unknownOutcome('the answer names no page')
}

/** Whether the buyer has approved. Without a session there is nothing to approve: opening one is harmless. */
export async function findApproval(wire: Wire, call: Call): Promise<Finding> {
  const { paymentReference: reference } = call.operation
  if (!reference) return 'absent'
  const isPage = call.payment?.order?.integrationClient === 'redirect'
  const answer = await wire.send(call, { method: 'GET', path: `${isPage ? '/hpp' : '/payments'}/v1/sessions/${segment(reference)}` })
  if (answer.lost) return 'unsure'
  // its 48 hours are over: nobody can approve it any more
  if (answer.status === 404) return failedFinding('failed', 'incomplete_buyer_approval', 'The session has ended')
  if (answer.status !== 200) return 'unsure'
  return isPage ? readPage(call, answer) : readSession(call, answer)
}

type Body = Pick<Answered, 'body'>

const pendingFinding: Finding = { found: { status: 'pending', facts: {}, references: {} } }

const failedFinding = (status: 'failed', code: Extract<Outcome, { status: 'failed' }>['code'], why: string): Finding => ({
  found: { status, code, facts: { raw_response_code: why, raw_response_description: why }, references: {} },
})

const approvedFinding = (amount: number, token: string): Finding => ({
  found: { status: 'approved', amount, facts: {}, references: {}, buyer: { token } },
})

/** What the states of a page mean, but for COMPLETED. */
const pageStates = new Map<string, Finding>([
  ['WAITING', pendingFinding],
  ['IN_PROGRESS', pendingFinding],
  ['MANUAL_ID_CHECK', pendingFinding],
  ['CANCELLED', failedFinding('failed', 'cancelled_buyer_approval', 'CANCELLED')],
  ['BACK', failedFinding('failed', 'cancelled_buyer_approval', 'BACK')],
  ['FAILED', failedFinding('failed', 'failed_buyer_approval', 'FAILED')],
  ['ERROR', failedFinding('failed', 'failed_buyer_approval', 'ERROR')],
  ['DISABLED', failedFinding('failed', 'failed_buyer_approval', 'DISABLED')],
])

/** A page states no amount. It is of the session that we opened, and the order that is placed is compared with it. */
function readPage({ operation }: Call, { body }: Body): Finding {
  if (body['session_id'] !== operation.paymentReference) return 'unsure'
  const status = text(body['status']) ?? ''
  const token = text(body['authorization_token'])
  if (status === 'COMPLETED') return token ? approvedFinding(operation.amount, token) : 'unsure'
  return pageStates.get(status) ?? 'unsure'
}

/** The provider's script may change a session in the buyer's browser: what was approved must still be what we asked for. */
function readSession({ operation }: Call, { body }: Body): Finding {
  if (body['merchant_reference2'] !== operation.id) return 'unsure'
  const token = text(body['authorization_token'])
  if (body['status'] === 'incomplete') return pendingFinding
  if (body['status'] !== 'complete' || !token) return 'unsure'
  const amount = money(body['order_amount'])
  if (amount !== operation.amount || body['purchase_currency'] !== operation.currency) {
    return failedFinding('failed', 'failed_buyer_approval', 'The buyer approved another amount')
  }
  return approvedFinding(amount, token)
}

/** The buyer is no longer asked. Whatever becomes of the page: no order is placed but by us, so nothing can come of it. */
export async function closeApproval(wire: Wire, call: Call): Promise<Outcome> {
  const { id, amount, paymentReference: page, identifiers } = call.operation
  const isPage = page !== null && page !== identifiers['payment_service_session_id']
  if (isPage) await wire.send(call, { method: 'DELETE', path: `/hpp/v1/sessions/${segment(page)}`, key: id })
  return { status: 'approved', amount, facts: {}, references: {} }
}
