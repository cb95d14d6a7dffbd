import type {
  Call,
  Exchange,
  Instrument,
  OperationForCall,
  PaymentContext,
  PayoutContext,
  ServiceCall,
  ServiceForCall,
} from '../connectors/contract/call.ts'
import type { Connector, NotificationForCall, NotificationSubject } from '../connectors/contract/connector.ts'
import type { Outcome } from '../connectors/contract/outcome.ts'
import { type HttpAnswer, type HttpRequest, toBody, unreadable } from '../connectors/wire/http-message.ts'
import { recordExchanges } from '../connectors/wire/record-exchanges.ts'
import { redactor } from '../connectors/wire/redact.ts'
import type { ConnectorUnderTest, FakeAnswer, FakeProvider } from './fake-provider.ts'
import { exchangeWithFault, type Fault } from './faults.ts'

/** An operation in the suite's journal. */
export interface SuiteOperation {
  operation: OperationForCall
  payment?: PaymentContext
  payout?: PayoutContext
  /** Undefined: it was sent, and its process has died. */
  outcome?: Outcome
}

/** What goes wrong in one send of an operation. Steps count its requests, from 1. */
export interface Disturbance {
  fault?: { step: number; fault: Fault }
  /** When the process dies. */
  crash?: { before: number } | { after: number } | 'after the commit'
  /** The commit of a reference or a mark fails. */
  commitFails?: true
}

/** Thrown into a connector whose process has died: nothing that it does afterwards counts. */
export class ProcessDied extends Error {}

/** A call of the connector, what became of it, and what it cost. */
export interface PreparedCall {
  call: Call
  died: () => boolean
  requests: () => number
  commits: () => number
}

export interface ReadNotification {
  message: NotificationForCall
  subjects: readonly NotificationSubject[]
}

/** A connector with its fake provider: the requests, notices and time between them. */
export interface Harness {
  connector: Connector
  provider: FakeProvider
  service: ServiceForCall
  /** Everything that was recorded as Railyard records it: redacted. */
  exchanges: Exchange[]
  /** What must never happen, as it happened: a fake or a connector that threw. */
  problems: string[]
  requests: () => number
  prepareCall: (operation: SuiteOperation, disturbance?: Disturbance) => PreparedCall
  serviceCall: () => ServiceCall
  /** Gives the provider the requests that were still on their way, oldest first; `most`: so many of them. */
  deliverLate: (most?: number) => void
  /** Reads the notifications that are due, and keeps their notices. */
  deliverNotifications: () => Promise<void>
  /** Every notification that was read, oldest first. */
  notifications: readonly ReadNotification[]
  passTime: (ms: number) => void
  /** The time at the provider and here, in milliseconds. */
  now: () => number
}

let harnesses = 0

export function openHarness(connector: Connector, underTest: ConnectorUnderTest): Harness {
  harnesses += 1
  const provider = underTest.provider()
  const id = `01a20008-7d03-7085-af8e-${String(harnesses).padStart(12, '0')}`
  // a connector may keep tokens for each service: no two harnesses share one
  const service: ServiceForCall = {
    id,
    fields: underTest.fields,
    notificationUrl: `https://railyard.example/notifications/shop/${id}/${'n'.repeat(43)}`,
  }
  const exchanges: Exchange[] = []
  const problems: string[] = []
  const late: HttpRequest[] = []
  const notifications: ReadNotification[] = []
  const notices = new Map<string, { subject: string; body: Readonly<Record<string, unknown>>; at: number }>()
  let requests = 0
  let ownTime = Date.parse('2026-03-02T10:00:00Z')
  const now = (): number => provider.now?.() ?? ownTime

  const deliver = (request: HttpRequest): HttpAnswer => {
    requests += 1
    try {
      return toHttpAnswer(provider.receive(structuredClone(request)), request)
    } catch (error) {
      problems.push(`the fake threw at ${request.method} ${request.url}: ${String(error)}`)
      throw error
    }
  }
  const serviceCall = (): ServiceCall => ({ http: async (request) => deliver(request), service })

  return {
    connector,
    provider,
    service,
    exchanges,
    problems,
    notifications,
    requests: () => requests,
    serviceCall,
    prepareCall(sent, disturbance = {}) {
      const { operation, payment, payout } = sent
      const { fault, crash, commitFails } = disturbance
      let step = 0
      let commits = 0
      let isDead = false
      const die = (): never => {
        isDead = true
        throw new ProcessDied('the process has died')
      }
      const commit = async (committed: Partial<OperationForCall>): Promise<void> => {
        if (isDead) return die()
        if (commitFails) throw new Error('the commit failed')
        commits += 1
        Object.assign(operation, committed)
        if (crash === 'after the commit') die()
      }
      const request = async (asked: HttpRequest): Promise<HttpAnswer> => {
        if (isDead) return die()
        step += 1
        if (typeof crash === 'object' && 'before' in crash && crash.before === step) return die()
        const strikes = fault?.step === step
        if (strikes && fault.fault.isLate) late.push(structuredClone(asked))
        const answer = strikes ? exchangeWithFault(fault.fault, asked, deliver) : deliver(asked)
        if (typeof crash === 'object' && 'after' in crash && crash.after === step) return die()
        return answer
      }
      const instrument = (payment ?? payout)?.instrument
      const recorded = recordExchanges(
        { request },
        { now },
        { next: () => String(exchanges.length) },
        redactor(
          instrument?.card?.number ?? instrument?.networkToken?.number,
          instrument?.approvalToken ?? instrument?.serviceToken ?? textOf(instrument?.providerToken),
        ),
      )
      const call: Call = {
        http: async (asked) => {
          const answer = await recorded.request(asked)
          exchanges.push(...recorded.exchanges.splice(0))
          return answer
        },
        service,
        operation: { ...operation },
        commitReference: (reference) => commit({ committedReference: reference }),
        commitMark: (mark) => commit({ mark }),
        notices: async () =>
          [...notices.values()]
            .filter(({ subject }) =>
              [operation.id, operation.paymentReference, operation.committedReference].includes(subject),
            )
            .map(({ body, at }) => ({ body, received_at: new Date(at).toISOString() })),
        ...(payment && { payment }),
        ...(payout && { payout }),
      }
      return { call, died: () => isDead, requests: () => step, commits: () => commits }
    },
    deliverLate(most = late.length) {
      for (const request of late.splice(0, most)) deliver(request)
    },
    async deliverNotifications() {
      for (const message of provider.takeNotifications()) {
        const subjects = await readSubjects(connector, serviceCall(), message)
        for (const subject of subjects) {
          const about = subjectOf(subject)
          if (about && 'notice' in subject && subject.notice && !notices.has(subject.notice.id))
            notices.set(subject.notice.id, { subject: about, body: subject.notice.body, at: now() })
        }
        notifications.push({ message, subjects })
      }
    },
    now,
    passTime(ms) {
      ownTime += ms
      provider.advance(ms)
    },
  }
}

/** What a notification is about, as a list; a connector without notifications reads nothing. */
export async function readSubjects(
  connector: Connector,
  call: ServiceCall,
  message: NotificationForCall,
): Promise<NotificationSubject[]> {
  const subjects = (await connector.readNotification?.(call, message)) ?? []
  return 'about' in subjects ? [subjects] : [...subjects]
}

/** A provider's token that is a text, not encrypted fields. */
const textOf = (token: Instrument['providerToken']): string | undefined =>
  typeof token === 'string' ? token : undefined

/** The id of the operation or the payment that a notification is about. */
export function subjectOf(subject: NotificationSubject): string | undefined {
  if (subject.about === 'operation') return subject.operation
  return subject.about === 'payment' ? subject.payment : undefined
}

/** The answer as the network brings it: JSON, or the text that the request asks for. */
export function toHttpAnswer({ status, headers = {}, body }: FakeAnswer, asked: HttpRequest): HttpAnswer {
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const read =
    body === undefined ? {} : toBody(JSON.parse(JSON.stringify(asked.text ? { text: body } : body)), asked)
  return read ? { lost: false, status, headers: Object.fromEntries(names), body: read } : unreadable
}
