import { adyenCard, adyenRedirects } from '../../../src/connectors/adyen/connector.ts'
import type {
  Call,
  OperationForCall,
  OperationKind,
  PaymentContext,
  StoredNotice,
} from '../../../src/connectors/contract/call.ts'
import type { Connector, NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import type { BookFinding, Outcome } from '../../../src/connectors/contract/outcome.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { callFor, operationFor, paymentFor } from '../../support/domains/connector-call.ts'
import { type AdyenFake, API_KEY, adyenFake, HMAC_KEY, MERCHANT } from './fake.ts'

export const fields = {
  merchant_account: MERCHANT,
  api_key: API_KEY,
  environment: 'sandbox',
  hmac_key: HMAC_KEY,
}

/** adyen-web's encrypted fields, as the provider's test system takes them from a server. */
export const encrypted = {
  type: 'scheme',
  encryptedCardNumber: 'test_4111111111111111',
  encryptedExpiryMonth: 'test_03',
  encryptedExpiryYear: 'test_2030',
  encryptedSecurityCode: 'test_737',
}

/** What may happen to a request: it is lost before or after it arrives, or its answer is another one. */
export type Fault = 'unsent' | 'lost before' | 'lost after' | HttpAnswer

export interface Bench {
  fake: AdyenFake
  connector: Connector
  /** Strikes the requests to come, one each; `undefined`: no fault. */
  faults: (Fault | undefined)[]
  committed: string[]
  fields: Record<string, string>
  call(operation: Partial<OperationForCall>, payment?: Partial<PaymentContext>): Call
  run(
    kind: OperationKind,
    operation?: Partial<OperationForCall>,
    payment?: Partial<PaymentContext>,
  ): Promise<Outcome>
  find(operation: Partial<OperationForCall>, payment?: Partial<PaymentContext>): Promise<BookFinding>
  close(operation: Partial<OperationForCall>, payment?: Partial<PaymentContext>): Promise<BookFinding>
  /** Keeps what the due notifications say, as Railyard does; answers how many there were. */
  deliver(messages?: NotificationForCall[]): Promise<number>
  /** An operation id of this moment: a UUIDv7. */
  nextId(): string
}

/** A connector and the provider that it talks to. `definition`: of a redirect method. */
export function openBench(definition = 'adyen-card'): Bench {
  const fake = adyenFake()
  const options = { clock: fake, isSandbox: true, baseUrl: 'http://adyen.test' }
  const connector = [adyenCard(options), ...adyenRedirects(options)].find(
    (each) => each.definition.id === definition,
  )
  if (!connector) throw new Error(`no definition ${definition}`)
  const faults: Bench['faults'] = []
  const committed: string[] = []
  const notices = new Map<string, StoredNotice & { subject: string }>()
  let ids = 0

  const http = async (request: HttpRequest): Promise<HttpAnswer> => {
    const fault = faults.shift()
    if (fault === 'unsent') return { lost: true, sent: false, reason: 'ECONNREFUSED' }
    if (fault === 'lost before') return { lost: true, sent: true, reason: 'no answer in time' }
    const { status, headers = {}, body } = fake.receive(request)
    if (fault === 'lost after') return { lost: true, sent: true, reason: 'the connection broke' }
    if (fault) return fault
    return {
      lost: false,
      status,
      headers,
      body: typeof body === 'object' && body !== null ? { ...body } : {},
    }
  }

  const call: Bench['call'] = (operation, payment) => {
    const full = operationFor({ committedReference: committed.at(-1) ?? null, ...operation })
    const isOpening = full.kind === 'authorize' || full.kind === 'sale'
    return callFor({
      http,
      fields: bench.fields,
      operation: full,
      committed,
      notices: [...notices.values()].filter(
        ({ subject }) => subject === full.id || subject === full.paymentReference,
      ),
      ...(isOpening && {
        payment: paymentFor({ instrument: { providerToken: encrypted }, ...payment }),
      }),
    })
  }

  const bench: Bench = {
    fake,
    connector,
    faults,
    committed,
    fields: { ...fields },
    call,
    async run(kind, operation = {}, payment) {
      const act = connector.operations[kind]
      if (!act) throw new Error(`${definition} has no ${kind}`)
      return act(call({ kind, ...operation }, payment))
    },
    find: (operation, payment) => connector.find(call(operation, payment)),
    async close(operation, payment) {
      if (!connector.close) throw new Error(`${definition} does not close`)
      return connector.close(call(operation, payment))
    },
    async deliver(messages = fake.takeNotifications()) {
      for (const message of messages) {
        const subjects = [await connector.readNotification?.(call({}), message)].flat()
        for (const subject of subjects) {
          if (!subject || subject.about === 'forged') throw new Error('the notification was refused')
          if ((subject.about !== 'operation' && subject.about !== 'payment') || !subject.notice) continue
          const { id, body } = subject.notice
          const key = subject.about === 'operation' ? subject.operation : subject.payment
          const received_at = new Date(fake.now()).toISOString()
          if (!notices.has(id)) notices.set(id, { body, received_at, subject: key })
        }
      }
      return messages.length
    },
    nextId() {
      ids += 1
      const time = fake.now().toString(16).padStart(12, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${`${ids}`.padStart(12, '0')}`
    },
  }
  return bench
}

/** An authorized payment with the identifiers that its later operations get. */
export async function authorizedPayment(bench: Bench, operation: Partial<OperationForCall> = {}) {
  const id = bench.nextId()
  const outcome = await bench.run('authorize', { id, ...operation })
  if (outcome.status !== 'approved') throw new Error(`it is ${outcome.status}`)
  await bench.deliver()
  return {
    id,
    paymentReference: outcome.references.transaction ?? null,
    identifiers: outcome.references.identifiers ?? {},
  }
}
