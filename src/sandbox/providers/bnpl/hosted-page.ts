import { Compile } from 'typebox/compile'
import { firstError } from '../../core/first-error.ts'
import { notifyMerchant } from '../../core/notify-merchant.ts'
import { type Answer, type BuyerDecision, type BuyerDecisionResult, json } from '../../core/provider-messages.ts'
import { pageAnswer, wantsPage } from '../../page/html-answer.ts'
import type { Sandbox } from '../../sandbox.ts'
import { timestamp } from '../../sandbox.ts'
import { PageBody } from './bnpl.schema.ts'
import { noSuchPage, pageOfSession } from './checkout.page.ts'
import { findDocument, hasExpired, type Page, type PageStatus, type Session, storeDocument } from './documents.ts'
import { errorAnswer } from './refusals.ts'
import { noContent, type Request } from './request.ts'
import { approveSession, findOpenSession } from './session.ts'

const pageBody = Compile(PageBody)

const noPage = () => errorAnswer(404, 'NOT_FOUND', 'There is no such session')

/** Opens a page for a session. */
export function openPage({ sandbox, service, incoming: { body } }: Request): Answer {
  if (!pageBody.Check(body)) return errorAnswer(400, 'BAD_VALUE', `Bad value: ${firstError(pageBody, body)}`)
  const session = findOpenSession(sandbox, service, body.payment_session_url.split('/').at(-1) ?? '')
  if (!session) return errorAnswer(400, 'BAD_VALUE', 'Bad value: payment_session_url')
  const id = sandbox.ids.next()
  const { expires_at } = session
  const urls = body.merchant_urls ?? {}
  storeDocument(sandbox, 'page', id, { service, id, session: session.id, urls, status: 'WAITING', updated_at: timestamp(sandbox), expires_at })
  return json(201, { session_id: id, redirect_url: `${sandbox.pagesUrl()}/bnpl/${service}/checkout/${id}`, expires_at })
}

/** A page whose time is over shows itself as disabled. */
function pageOf(sandbox: Sandbox, service: string, id: string): Page | undefined {
  const page = findDocument(sandbox, service, 'page', id)
  return page && page.status === 'WAITING' && hasExpired(sandbox, page) ? { ...page, status: 'DISABLED' } : page
}

function view(sandbox: Sandbox, { service, id, session, status, updated_at, expires_at }: Page) {
  const token = status === 'COMPLETED' ? findDocument(sandbox, service, 'session', session)?.token : null
  return { session_id: id, status, updated_at, expires_at, ...(token && { authorization_token: token }) }
}

export function readPage({ sandbox, service }: Request, id: string): Answer {
  const page = pageOf(sandbox, service, id)
  return page ? json(200, view(sandbox, page)) : noPage()
}

export function disablePage({ sandbox, service }: Request, id: string): Answer {
  const page = pageOf(sandbox, service, id)
  if (!page) return noPage()
  if (page.status === 'WAITING') setPageStatus(sandbox, page, 'DISABLED')
  return noContent
}

function setPageStatus(sandbox: Sandbox, page: Page, status: PageStatus): Page {
  const moved = { ...page, status, updated_at: timestamp(sandbox) }
  storeDocument(sandbox, 'page', page.id, moved)
  const told = { event_id: sandbox.ids.next(), session: view(sandbox, moved) }
  const message = { body: JSON.stringify(told) }
  const url = page.urls['status_update']
  if (url) void notifyMerchant({ sandbox, payment_service_id: page.service, operation: 'approval', bin: null, url, message })
  return moved
}

/** What the buyer can do, and where each leads. */
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

/** The page itself, or what it would show as JSON. */
export function showCheckout(request: Request, id: string): Answer {
  const { sandbox, service } = request
  const page = pageOf(sandbox, service, id)
  const session = page && findDocument(sandbox, service, 'session', page.session)
  if (!page || !session) return wantsPage(request.incoming) ? pageAnswer(noSuchPage) : noPage()
  if (!wantsPage(request.incoming)) return json(200, { session_id: id, status: page.status, ...basketOf(session) })
  return pageAnswer(pageOfSession(page, session, `${sandbox.pagesUrl()}/bnpl/${service}/checkout/${id}`, exitUrlOf(sandbox, page)))
}

const basketOf = ({ body: { purchase_currency, order_amount, order_lines } }: Session) => ({ purchase_currency, order_amount, order_lines })

/** The buyer decides; once. Whoever comes back is sent where the first decision led. */
export function decideCheckout(request: Request, id: string, action: string): Answer | null {
  const status = actions.get(action)
  if (!status) return null
  const { sandbox, service } = request
  const page = pageOf(sandbox, service, id)
  const session = page && findOpenSession(sandbox, service, page.session)
  if (wantsPage(request.incoming) && (!session || page?.status === 'DISABLED')) return showCheckout(request, id)
  if (!page || !session) return noPage()
  if (page.status === 'DISABLED') return errorAnswer(403, 'INVALID_OPERATION', 'This page is closed')
  // the token first: the merchant who is told of the page's state finds it there
  if (page.status === 'WAITING' && status === 'COMPLETED') approveSession(sandbox, session)
  const decided = page.status === 'WAITING' ? setPageStatus(sandbox, page, status) : page
  const to = exitUrlOf(sandbox, decided)
  return wantsPage(request.incoming) ? { status: 303, body: '', headers: { location: to } } : json(200, { redirect_to: to })
}

/** Where the buyer goes once they have decided; empty before. */
const exitUrlOf = (sandbox: Sandbox, page: Page) => fillUrlTemplate(page.urls[exitUrlNames[page.status] ?? ''] ?? '', view(sandbox, page))

/** The merchant's URL with what it asks for. */
const fillUrlTemplate = (url: string, { session_id, authorization_token = '' }: { session_id: string; authorization_token?: string }) =>
  url
    .replaceAll(/(\{\{|%7B%7B)session_id(\}\}|%7D%7D)/gi, session_id)
    .replaceAll(/(\{\{|%7B%7B)authorization_token(\}\}|%7D%7D)/gi, authorization_token)

/** Somebody decides in the buyer's place: on the page that was opened for them, or where the merchant's own page has the session, there. */
export function decideForBuyer(sandbox: Sandbox, service: string, reference: string, decision: BuyerDecision): BuyerDecisionResult {
  const page = pageOf(sandbox, service, reference)
  const session = findOpenSession(sandbox, service, page?.session ?? reference)
  if (!session) return page ? 'refused' : 'unknown'
  if (page && page.status !== 'WAITING') return 'refused'
  if (decision === 'approve' && session.token === null) approveSession(sandbox, session)
  if (page) setPageStatus(sandbox, page, decision === 'approve' ? 'COMPLETED' : 'CANCELLED')
  return 'decided'
}
