import { Compile } from '../../../base/compile.ts'
import { firstError } from '../../core/first-error.ts'
import { notifyMerchant } from '../../core/notify-merchant.ts'
import {
  type Answer,
  type BuyerDecision,
  type BuyerDecisionResult,
  json,
} from '../../core/provider-messages.ts'
import type { ProviderRequest } from '../../core/provider-request.ts'
import { pageAnswer, wantsPage } from '../../page/html-answer.ts'
import type { Sandbox } from '../../sandbox.ts'
import { timestamp } from '../../sandbox.ts'
import { PageBody } from './bnpl.schema.ts'
import { noSuchPage, pageOfSession } from './checkout.page.ts'
import {
  findDocument,
  hasExpired,
  type Page,
  type PageStatus,
  type Session,
  storeDocument,
} from './documents.ts'
import { errorAnswer } from './refusals.ts'
import { noContent } from './request.ts'
import { approveSession, findOpenSession } from './session.ts'

const pageBody = Compile(PageBody)

const noPage = () => errorAnswer(404, 'NOT_FOUND', 'There is no such session')

/** Opens a page for a session. */
export function openPage({ sandbox, service, incoming: { body } }: ProviderRequest): Answer {
  if (!pageBody.Check(body)) return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(pageBody, body)}`)
  const session = findOpenSession(sandbox, service, body.payment_session_url.split('/').at(-1) ?? '')
  if (!session) return errorAnswer(400, 'BAD_VALUE', 'Bad value: payment_session_url')
  const id = sandbox.ids.next()
  const { expires_at } = session
  const urls = body.merchant_urls ?? {}
  storeDocument(sandbox, 'page', id, {
    service,
    id,
    session: session.id,
    urls,
    status: 'WAITING',
    updated_at: timestamp(sandbox),
    expires_at,
  })
  return json(201, {
    session_id: id,
    redirect_url: `${sandbox.pagesUrl()}/bnpl/${service}/checkout/${id}`,
    expires_at,
  })
}

/** A page; it is disabled when its time is over. */
function pageOf(sandbox: Sandbox, service: string, id: string): Page | undefined {
  const page = findDocument(sandbox, service, 'page', id)
  return page && page.status === 'WAITING' && hasExpired(sandbox, page)
    ? { ...page, status: 'DISABLED' }
    : page
}

function view(sandbox: Sandbox, { service, id, session, status, updated_at, expires_at }: Page) {
  const token = status === 'COMPLETED' ? findDocument(sandbox, service, 'session', session)?.token : null
  return { session_id: id, status, updated_at, expires_at, ...(token && { authorization_token: token }) }
}

export function readPage({ sandbox, service }: ProviderRequest, id: string): Answer {
  const page = pageOf(sandbox, service, id)
  return page ? json(200, view(sandbox, page)) : noPage()
}

export function disablePage({ sandbox, service }: ProviderRequest, id: string): Answer {
  const page = pageOf(sandbox, service, id)
  if (!page) return noPage()
  if (page.status === 'WAITING') setPageStatus(sandbox, page, 'DISABLED')
  return noContent
}

function setPageStatus(sandbox: Sandbox, page: Page, status: PageStatus): Page {
  const changed = { ...page, status, updated_at: timestamp(sandbox) }
  storeDocument(sandbox, 'page', page.id, changed)
  const notification = { event_id: sandbox.ids.next(), session: view(sandbox, changed) }
  const message = { body: JSON.stringify(notification) }
  const url = page.urls['status_update']
  if (url)
    void notifyMerchant({
      sandbox,
      payment_service_id: page.service,
      operation: 'approval',
      bin: null,
      url,
      message,
    })
  return changed
}

/** The buyer's actions, and the status that each leads to. */
const actions = new Map<string, PageStatus>([
  ['approve', 'COMPLETED'],
  ['decline', 'FAILED'],
  ['cancel', 'CANCELLED'],
])

const exitUrlNames: Record<PageStatus, string | undefined> = {
  WAITING: undefined,
  COMPLETED: 'success',
  FAILED: 'failure',
  CANCELLED: 'cancel',
  DISABLED: undefined,
}

/** The page; JSON for other clients. */
export function showCheckout(request: ProviderRequest, id: string): Answer {
  const { sandbox, service } = request
  const page = pageOf(sandbox, service, id)
  const session = page && findDocument(sandbox, service, 'session', page.session)
  if (!page || !session) return wantsPage(request.incoming) ? pageAnswer(noSuchPage) : noPage()
  if (!wantsPage(request.incoming))
    return json(200, { session_id: id, status: page.status, ...basketOf(session) })
  return pageAnswer(
    pageOfSession(
      page,
      session,
      `${sandbox.pagesUrl()}/bnpl/${service}/checkout/${id}`,
      exitUrlOf(sandbox, page),
    ),
  )
}

const basketOf = ({ body: { purchase_currency, order_amount, order_lines } }: Session) => ({
  purchase_currency,
  order_amount,
  order_lines,
})

/** Takes the buyer's first decision. A buyer who posts again goes where the first decision led. */
export function decideCheckout(request: ProviderRequest, id: string, action: string): Answer | null {
  const status = actions.get(action)
  if (!status) return null
  const { sandbox, service } = request
  const page = pageOf(sandbox, service, id)
  const session = page && findOpenSession(sandbox, service, page.session)
  if (wantsPage(request.incoming) && (!session || page?.status === 'DISABLED'))
    return showCheckout(request, id)
  if (!page || !session) return noPage()
  if (page.status === 'DISABLED') return errorAnswer(403, 'INVALID_OPERATION', 'This page is closed')
  // the token first, so that a merchant that is notified of the page's status finds it
  if (page.status === 'WAITING' && status === 'COMPLETED') approveSession(sandbox, session)
  const decided = page.status === 'WAITING' ? setPageStatus(sandbox, page, status) : page
  const to = exitUrlOf(sandbox, decided)
  return wantsPage(request.incoming)
    ? { status: 303, body: '', headers: { location: to } }
    : json(200, { redirect_to: to })
}

/** The URL to which the buyer goes after the decision; empty before. */
const exitUrlOf = (sandbox: Sandbox, page: Page) =>
  fillUrlTemplate(page.urls[exitUrlNames[page.status] ?? ''] ?? '', view(sandbox, page))

/** The merchant's URL with its placeholders filled in. */
const fillUrlTemplate = (
  url: string,
  { session_id, authorization_token = '' }: { session_id: string; authorization_token?: string },
) =>
  url
    .replaceAll(/(\{\{|%7B%7B)session_id(\}\}|%7D%7D)/gi, session_id)
    .replaceAll(/(\{\{|%7B%7B)authorization_token(\}\}|%7D%7D)/gi, authorization_token)

/**
 * Decides for the buyer, as the simulation endpoint asks: on the page that was opened, or in the session on
 * the merchant's own page.
 */
export function decideForBuyer(
  sandbox: Sandbox,
  service: string,
  reference: string,
  decision: BuyerDecision,
): BuyerDecisionResult {
  const page = pageOf(sandbox, service, reference)
  const session = findOpenSession(sandbox, service, page?.session ?? reference)
  if (!session) return page ? 'refused' : 'unknown'
  if (page && page.status !== 'WAITING') return 'refused'
  if (decision === 'approve' && session.token === null) approveSession(sandbox, session)
  if (page) setPageStatus(sandbox, page, decision === 'approve' ? 'COMPLETED' : 'CANCELLED')
  return 'decided'
}
