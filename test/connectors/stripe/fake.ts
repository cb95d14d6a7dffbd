import { createHash, createHmac } from 'node:crypto'
import type {
  BuyerDecision,
  FakeAnswer,
  FakeEffect,
  FakeProvider,
} from '../../../src/connector-kit/fake-provider.ts'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import type { HttpRequest, Part } from '../../../src/connectors/wire/http-message.ts'
import { type Contract, contract } from '../../contracts/contract.ts'
import { type Asked, CONNECT_WEBHOOK_SECRET, Refused, secretOf, WEBHOOK_SECRET } from './asked.ts'
import { moneyRoutes } from './money-routes.ts'
import { type FakeIntent, type FakeRefund, refundBody } from './objects.ts'
import { disputeBody, officeRoutes } from './office-routes.ts'
import { confirmByScript, finishChallenge } from './paying.ts'

export { CONNECT_WEBHOOK_SECRET, WEBHOOK_SECRET } from './asked.ts'

export const SECRET_KEY = 'sk_test_fake'
const DAY_MS = 24 * 3_600_000

/** The members of Connect, which the contract leaves out. */
const outsideTheContract = ['application_fee_amount', 'on_behalf_of', 'transfer_data', 'transfer_group']

let stripe: Contract | undefined
/** Stripe's contract, compiled once. */
export const stripeContract = (): Contract => {
  stripe ??= contract('stripe', 'as needed')
  return stripe
}

/** What answers a request whose method and path match. */
export type Route = readonly [RegExp, (stripe: FakeStripe, asked: Asked) => unknown]

/** Stripe in memory. */
export class FakeStripe implements FakeProvider {
  readonly intents = new Map<string, FakeIntent>()
  readonly refunds: FakeRefund[] = []
  /** The newest one first; `connect`: it is told of connected accounts, and else of the merchant's own. */
  readonly endpoints: { id: string; url: string; events: string[]; created: number; connect: boolean }[] = []
  /** Whether Stripe makes endpoints for connected accounts, and how many endpoints it makes. */
  isPlatform = true
  mostEndpoints = 16
  readonly uploads: { id: string; parts: readonly Part[]; account: string | null }[] = []
  /** The connected account of each dispute that the fake has told of; null: the merchant's own. */
  readonly disputes = new Map<string, string | null>()
  readonly objects = new Map<string, Record<string, unknown>>()
  readonly violations: string[] = []
  readonly received: HttpRequest[] = []
  readonly moved: FakeEffect[] = []
  /** The payouts of the account, and whether their reports are made, or cannot be. */
  readonly reports: { payouts: string[]; areMade: boolean; fail: boolean } = {
    payouts: [],
    areMade: false,
    fail: false,
  }
  private readonly keys = new Map<string, { asks: string; answer: FakeAnswer; at: number }>()
  private readonly notifications: {
    type: string
    object: Record<string, unknown>
    account: string | null
  }[] = []
  /** The connected account that the request in hand names (`Stripe-Account`); null: none. */
  account: string | null = null
  private sequence = 0
  time = Date.UTC(2026, 10, 23)

  /** The refund of this operation fails after it had succeeded. */
  takeBack(operation: string): void {
    for (const refund of this.refunds) {
      if (refund.metadata['railyard_operation'] !== operation) continue
      Object.assign(refund, { status: 'failed', failure_reason: 'lost_or_stolen_card' })
      const charge = this.intents.get(refund.intent)?.charge
      if (charge) charge.amount_refunded -= refund.amount
      this.notify('refund.failed', refundBody(refund))
    }
  }

  /** The bank of the buyer takes the money of a payment back. Answers the id of the dispute. */
  chargeBack(payment: string): string {
    const intent = this.intents.get(payment)
    if (!intent) throw new Error(`there is no ${payment}`)
    const id = this.id('dp')
    this.disputes.set(id, intent.account)
    this.notify('charge.dispute.funds_withdrawn', disputeBody(id, intent, this.seconds() + 7 * 24 * 3_600))
    return id
  }

  id(prefix: string): string {
    this.sequence += 1
    return `${prefix}_fake${this.sequence}`
  }
  now = (): number => this.time
  seconds = () => Math.floor(this.time / 1000)

  receive(request: HttpRequest): FakeAnswer {
    this.received.push(request)
    const url = new URL(request.url)
    const answer = this.answerTo(request, url)
    const sent = { method: request.method, path: url.pathname }
    const headers = { 'content-type': 'application/json' }
    this.violations.push(
      ...stripeContract()
        .response({ ...sent, status: answer.status, headers, body: answer.body })
        .map((text) => `answer ${request.method} ${url.pathname}: ${text}`),
    )
    return answer
  }

  private answerTo(request: HttpRequest, url: URL): FakeAnswer {
    const { authorization, 'idempotency-key': named, 'stripe-account': account } = request.headers ?? {}
    this.account = account ?? null
    const key = named && `${account ?? ''} ${named}`
    if (authorization !== `Bearer ${SECRET_KEY}`)
      return { status: 401, body: { error: { type: 'invalid_request_error', message: 'Invalid API Key' } } }
    const violations = this.violationsOf(request, url)
    if (violations.length > 0) {
      this.violations.push(...violations.map((text) => `${request.method} ${url.pathname}: ${text}`))
      const message = `The fake follows Stripe's contract: ${violations.join('; ')}`
      return {
        status: 400,
        body: { error: { type: 'invalid_request_error', code: 'parameter_unknown', message } },
      }
    }
    const asks = createHash('sha256')
      .update(`${url.pathname} ${JSON.stringify(request.form ?? {})}`)
      .digest('hex')
    const kept = key === undefined ? undefined : this.keys.get(key)
    if (kept && kept.asks !== asks)
      return { status: 400, body: { error: { type: 'idempotency_error', message: 'other parameters' } } }
    if (kept) return { ...kept.answer, headers: { 'idempotent-replayed': 'true' } }
    const { answer, isKept } = this.execute(request, url, named ?? '')
    if (key !== undefined && isKept) this.keys.set(key, { asks, answer, at: this.time })
    return answer
  }

  private violationsOf(
    { method, headers = {}, form, parts }: HttpRequest,
    { pathname, searchParams }: URL,
  ): string[] {
    const known = Object.entries(form ?? {}).filter(
      ([name]) => !outsideTheContract.some((member) => name.startsWith(member)),
    )
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    if (parts) {
      const body = Object.fromEntries(parts.map(({ name, content }) => [name, content.toString()]))
      const multipart = { ...headers, 'content-type': 'multipart/form-data' }
      return stripeContract().request({ method, path: pathname, headers: multipart, body })
    }
    return stripeContract().request({
      method,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...headers, ...(form && type) },
      ...(form && { body: new URLSearchParams(known).toString() }),
    })
  }

  private execute({ method, form = {}, parts = [] }: HttpRequest, url: URL, key: string) {
    for (const [route, handle] of [...moneyRoutes, ...officeRoutes]) {
      const match = route.exec(`${method} ${url.pathname}`)
      if (!match) continue
      const query = Object.fromEntries(url.searchParams)
      const asked = { id: match[1] ?? '', form: { ...query, ...form }, parts, key }
      try {
        return { answer: { status: 200, body: structuredClone(handle(this, asked)) }, isKept: true }
      } catch (error) {
        if (error instanceof Refused) return { answer: error.answer, isKept: error.isKept }
        throw error
      }
    }
    throw new Error(`the fake has no route for ${method} ${url.pathname}`)
  }

  intent(id: string): FakeIntent {
    const intent = this.intents.get(id)
    if (intent && intent.account === this.account) return intent
    throw new Refused(404, { type: 'invalid_request_error', code: 'resource_missing' })
  }

  /** The intent that a page of Stripe's shows: the page knows its account. */
  private opened(id: string): FakeIntent {
    this.account = this.intents.get(id)?.account ?? null
    return this.intent(id)
  }

  /** Money has moved: at most once for each key. */
  move(effect: FakeEffect): void {
    this.moved.push(effect)
  }

  notify(type: string, object: Record<string, unknown>): void {
    const account = this.intents.get(String(object['payment_intent'] ?? object['id']))?.account ?? null
    this.notifications.push({ type, object: structuredClone(object), account })
  }

  effects(): readonly FakeEffect[] {
    return this.moved
  }

  takeNotifications(): NotificationForCall[] {
    return this.notifications.splice(0).map(({ type, object, account }) => this.signed(type, object, account))
  }

  /** `account`: the connected account that it happened on; null: it happened on the merchant's own. */
  signed(type: string, object: Record<string, unknown>, account: string | null = null): NotificationForCall {
    const endpoint = this.endpoints.find(({ connect }) => connect === (account !== null))
    const unregistered = account === null ? WEBHOOK_SECRET : CONNECT_WEBHOOK_SECRET
    const body = {
      id: this.id('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: this.seconds(),
      livemode: false,
      pending_webhooks: 1,
      request: null,
      ...(account !== null && { account }),
      type,
      data: { object },
    }
    const text = JSON.stringify(body)
    const signature = createHmac('sha256', endpoint ? secretOf(endpoint) : unregistered)
      .update(`${this.seconds()}.${text}`)
      .digest('hex')
    return { headers: { 'stripe-signature': `t=${this.seconds()},v1=${signature}` }, text, body }
  }

  foreignNotification(): NotificationForCall {
    return this.signed('payment_intent.succeeded', { id: this.id('pi'), object: 'payment_intent' })
  }

  visit(url: string, decision: BuyerDecision): Record<string, string> {
    const id = new URL(url).pathname.split('/').at(-1) ?? ''
    finishChallenge(this, this.opened(id), decision)
    return { payment_intent: id, redirect_status: decision === 'approve' ? 'succeeded' : 'failed' }
  }

  /** Stripe's script asks the buyer for what the method needs, and confirms the intent. */
  runScript(
    sessionData: Readonly<Record<string, unknown>>,
    decision: BuyerDecision,
  ): Record<string, unknown> {
    const intent = this.opened(String(sessionData['clientSecret']).replace(/_secret_.*/, ''))
    confirmByScript(this, intent)
    finishChallenge(this, intent, decision)
    return {}
  }

  /** Keys are forgotten after a day, and authorizations after seven. */
  advance(ms: number): void {
    this.time += ms
    for (const [key, { at }] of this.keys) if (this.time - at >= DAY_MS) this.keys.delete(key)
    for (const intent of this.intents.values())
      if (intent.status === 'requires_capture' && this.time - intent.created * 1000 > 7 * DAY_MS)
        Object.assign(intent, { status: 'canceled', amount_capturable: 0, cancellation_reason: 'automatic' })
  }
}
