import { setTimeout as wait } from 'node:timers/promises'
import { timeOrderedIds } from '../../src/base/ids.ts'
import type {
  Call,
  OperationForCall,
  OperationKind,
  PaymentContext,
} from '../../src/connectors/contract/call.ts'
import type { Connector } from '../../src/connectors/contract/connector.ts'
import type { BookFinding, Outcome } from '../../src/connectors/contract/outcome.ts'
import type { HttpAnswer, HttpRequest } from '../../src/connectors/wire/http-message.ts'
import { callFor, operationFor, paymentFor, purchase } from '../support/domains/connector-call.ts'
import type { Env, Http, LiveProvider, Token } from './providers.ts'

export const CURRENCY = 'EUR'
/** So much that a run cannot be a load test, and enough for polls of slow books. */
const MAX_REQUESTS = 200

export interface LiveOptions {
  env: Env
  http: Http
  print: (line: string) => void
  /** Sends the buyer to a page of the provider, on which they decide. */
  buyer: (url: string, decision: 'approve' | 'decline') => Promise<void>
  baseUrl?: string
  pollMs: number
  /** How long the provider's books, or a buyer, may take. */
  patienceMs: number
}

/** A payment of the suite, and what its calls need. */
export interface LivePayment {
  operation: Pick<OperationForCall, 'id' | 'kind' | 'amount'>
  token: Token
  committed: string[]
  outcome: Outcome | undefined
}

/** The calls of a connector to the provider, as Railyard makes them. */
export function openSession(provider: LiveProvider, options: LiveOptions) {
  const { env, print, buyer, pollMs, patienceMs, baseUrl } = options
  const clock = { now: () => Date.now() }
  const ids = timeOrderedIds(clock)
  const connector: Connector = provider.connector({
    clock,
    isSandbox: true,
    ...(baseUrl !== undefined && { baseUrl }),
  })
  let requests = 0
  let tokens = 0
  let loses: ((request: HttpRequest) => boolean) | undefined

  const http: Http = async (request) => {
    requests += 1
    if (requests > MAX_REQUESTS) throw new Error(`more than ${MAX_REQUESTS} requests`)
    const answer: HttpAnswer = await options.http(request)
    if (!loses?.(request)) return answer
    loses = undefined
    return { lost: true, sent: true, reason: 'the suite has dropped the answer' }
  }

  function call(operation: Partial<OperationForCall>, committed: string[], payment?: PaymentContext): Call {
    const made = callFor({
      http,
      fields: provider.fields(env),
      operation: operationFor({ currency: CURRENCY, ...operation }),
      committed,
      ...(payment && { payment }),
    })
    // no provider is told an address at which nothing listens
    return { ...made, service: { ...made.service, notificationUrl: 'http://127.0.0.1/notifications' } }
  }

  const contextOf = ({ token, operation }: LivePayment): PaymentContext =>
    paymentFor({
      instrument: { providerToken: token },
      canChallenge: provider.hasBuyer,
      purchase: async () =>
        purchase({
          reference: operation.id,
          description: 'Railyard test:live',
          returnUrls: {
            approved: 'https://example.com/approved',
            cancelled: 'https://example.com/cancelled',
            failed: 'https://example.com/failed',
          },
        }),
    })

  const stateOf = ({ operation, committed, outcome }: LivePayment): Partial<OperationForCall> => {
    const references = outcome && 'references' in outcome ? outcome.references : {}
    return {
      ...operation,
      committedReference: committed.at(-1) ?? null,
      paymentReference: references.transaction ?? null,
      identifiers: references.identifiers ?? {},
    }
  }

  async function run(kind: OperationKind, made: Call): Promise<Outcome> {
    const operate = connector.operations[kind]
    if (!operate) throw new Error(`the connector has no ${kind}`)
    return operate(made)
  }

  /** Asks the books until `isEnough`; throws when that takes too long. */
  async function poll(
    what: string,
    find: () => Promise<BookFinding>,
    isEnough: (finding: BookFinding) => boolean,
  ): Promise<BookFinding> {
    const end = Date.now() + patienceMs
    for (;;) {
      const finding = await find()
      if (isEnough(finding)) return finding
      if (Date.now() > end) throw new Error(`${what}: the books say ${textOf(finding)} for too long`)
      await wait(pollMs)
    }
  }

  const isDecided = (finding: BookFinding) =>
    finding.status === 'found' && finding.outcome.status !== 'pending' && finding.outcome.status !== 'unknown'

  return {
    connector,
    verify: () => connector.verifyCredentials(call({}, [])),
    loseNext(matches: (request: HttpRequest) => boolean) {
      loses = matches
    },
    /** A payment that is not sent yet. */
    async prepare({ declined = false } = {}): Promise<LivePayment> {
      const make = declined ? provider.declinedToken : provider.approvedToken
      const token = await make({ env, http, number: tokens, baseUrl })
      tokens += 1
      const amount = (declined && provider.declinedAmount) || 10_00
      return {
        operation: { id: ids.next(), kind: 'authorize', amount },
        token,
        committed: [],
        outcome: undefined,
      }
    },
    /** Sends a payment, once more if it was sent before: always under the same key. */
    async send(payment: LivePayment, sentBefore = false): Promise<Outcome> {
      const state = sentBefore ? { ...stateOf(payment), sentBefore } : payment.operation
      const outcome = await run('authorize', call(state, payment.committed, contextOf(payment)))
      return outcome
    },
    /** Waits until the payment is decided; a buyer decides it if the provider asks for one. */
    async decide(payment: LivePayment, decision: 'approve' | 'decline' = 'approve'): Promise<Outcome> {
      const { outcome } = payment
      if (outcome?.status !== 'pending') return outcome ?? { status: 'unknown', reason: 'it was not sent' }
      if (outcome.approval?.url) await buyer(outcome.approval.url, decision)
      const find = () => connector.find(call(stateOf(payment), payment.committed, contextOf(payment)))
      const finding = await poll('the payment', find, isDecided)
      return finding.status === 'found' ? finding.outcome : outcome
    },
    /** What the books say of a payment whose answer was lost. */
    async lookUp(payment: LivePayment): Promise<BookFinding> {
      const find = () => connector.find(call(stateOf(payment), payment.committed, contextOf(payment)))
      return provider.tellsByWebhookOnly
        ? find()
        : poll('the lost payment', find, ({ status }) => status !== 'unsure')
    },
    /** A capture, void or refund of a payment; waits until the books have decided it, if they can be read. */
    async follow(
      payment: LivePayment,
      kind: 'capture' | 'void' | 'refund',
      amount: number,
    ): Promise<Outcome> {
      const made = call({ ...stateOf(payment), id: ids.next(), kind, amount }, [...payment.committed])
      const outcome = await run(kind, made)
      if (outcome.status !== 'pending' || provider.tellsByWebhookOnly) return outcome
      const references = { ...made.operation, sentBefore: true }
      const finding = await poll(
        `the ${kind}`,
        () => connector.find({ ...made, operation: references }),
        // a refund of a real provider may take hours
        (each) => isDecided(each) || (kind === 'refund' && each.status === 'found'),
      )
      return finding.status === 'found' ? finding.outcome : outcome
    },
    print,
  }
}

export type Session = ReturnType<typeof openSession>

export const textOf = (finding: BookFinding): string =>
  finding.status === 'found' ? `found ${outcomeText(finding.outcome)}` : finding.status

export function outcomeText(outcome: Outcome): string {
  if (outcome.status === 'approved') return `approved ${outcome.amount}`
  if (outcome.status === 'unknown') return `unknown (${outcome.reason})`
  if (!('code' in outcome)) return outcome.status
  const { raw_response_code: code, raw_response_description: description } = outcome.facts
  return [outcome.status, outcome.code, code, description].filter(Boolean).join(' ')
}
