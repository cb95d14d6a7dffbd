import { checkoutCard } from '../../../src/connectors/checkout/connector.ts'
import type {
  Call,
  OperationForCall,
  OperationKind,
  PaymentContext,
  PurchaseForCall,
} from '../../../src/connectors/contract/call.ts'
import type { Connector, NotificationSubject } from '../../../src/connectors/contract/connector.ts'
import type { BookFinding, Outcome } from '../../../src/connectors/contract/outcome.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { callFor, operationFor, paymentFor, purchase } from '../../support/domains/connector-call.ts'
import { type CheckoutFake, checkoutFake, SECRET_KEY, WEBHOOK_KEY } from './fake.ts'

export const fields = {
  secret_key: SECRET_KEY,
  environment: 'sandbox',
  webhook_key: WEBHOOK_KEY,
  authorization_type: 'estimated',
}

/** What may happen to a request: it is lost before or after it arrives, or its answer is another one. */
export type Fault = 'unsent' | 'lost before' | 'lost after' | HttpAnswer

export interface Bench {
  fake: CheckoutFake
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
  /** What the due notifications are about. */
  deliver(): Promise<NotificationSubject[]>
  nextId(): string
}

/** A connector and the provider that it talks to. */
export function openBench(): Bench {
  const fake = checkoutFake()
  const connector = checkoutCard({ clock: fake, isSandbox: true, baseUrl: 'http://checkout.test' })
  const faults: Bench['faults'] = []
  const committed: string[] = []
  let ids = 0

  const http = async (request: HttpRequest): Promise<HttpAnswer> => {
    const fault = faults.shift()
    if (fault === 'unsent') return { lost: true, sent: false, reason: 'ECONNREFUSED' }
    if (fault === 'lost before') return { lost: true, sent: true, reason: 'no answer in time' }
    const { status, headers = {}, body } = fake.receive(request)
    if (fault === 'lost after') return { lost: true, sent: true, reason: 'the connection broke' }
    if (fault) return fault
    const read = request.text ? { text: JSON.stringify(body) } : body
    return {
      lost: false,
      status,
      headers,
      body: typeof read === 'object' && read !== null ? { ...read } : {},
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
      ...(isOpening && {
        payment: paymentFor({ instrument: { providerToken: 'tok_visa' }, ...payment }),
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
      if (!act) throw new Error(`there is no ${kind}`)
      return act(call({ kind, ...operation }, payment))
    },
    find: (operation, payment) => connector.find(call(operation, payment)),
    async close(operation, payment) {
      if (!connector.close) throw new Error('it does not close')
      return connector.close(call(operation, payment))
    },
    async deliver() {
      const read = fake
        .takeNotifications()
        .map((message) => connector.readNotification?.(call({}), message) ?? [])
      return (await Promise.all(read)).flat()
    },
    nextId() {
      ids += 1
      const time = fake.now().toString(16).padStart(12, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${`${ids}`.padStart(12, '0')}`
    },
  }
  return bench
}

/** An authorized payment, as its later operations have it. */
export async function authorizedPayment(bench: Bench, operation: Partial<OperationForCall> = {}) {
  const id = bench.nextId()
  const outcome = await bench.run('authorize', { id, ...operation })
  if (outcome.status !== 'approved') throw new Error(`it is ${outcome.status}`)
  await bench.deliver()
  return { paymentReference: outcome.references.transaction ?? null }
}

/** What a payment is for, as a payment's context has it. */
export const buying = (more: Partial<PurchaseForCall>): Pick<PaymentContext, 'purchase'> => ({
  purchase: async () => purchase(more),
})

export const lastBody = ({ fake }: Bench) => fake.requests.at(-1)?.body
