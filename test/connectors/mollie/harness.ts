import type {
  Call,
  OperationForCall,
  OperationKind,
  PaymentContext,
} from '../../../src/connectors/contract/call.ts'
import type {
  Connector,
  NotificationForCall,
  NotificationSubject,
} from '../../../src/connectors/contract/connector.ts'
import type { BookFinding, Outcome } from '../../../src/connectors/contract/outcome.ts'
import { mollieCard, mollieRedirects } from '../../../src/connectors/mollie/connector.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { callFor, operationFor, paymentFor, purchase } from '../../support/domains/connector-call.ts'
import { API_KEY, type MollieFake, mollieFake } from './fake.ts'

export const fields = { api_key: API_KEY }

/** What may happen to a request: it is lost before or after it arrives, or its answer is another one. */
export type Fault = 'unsent' | 'lost before' | 'lost after' | HttpAnswer

export interface Bench {
  fake: MollieFake
  connector: Connector
  /** Strikes the requests to come, one each; `undefined`: no fault. */
  faults: (Fault | undefined)[]
  /** Requests that were lost before they arrived: they may arrive later. */
  late: HttpRequest[]
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
  read(message: NotificationForCall): Promise<readonly NotificationSubject[]>
  /** An operation id of this moment: a UUIDv7. */
  nextId(): string
}

/** A connector and the provider that it talks to. `definition`: of a redirect method. */
export function openBench(definition = 'mollie-card', isSandbox = true): Bench {
  const fake = mollieFake()
  const options = { clock: fake, isSandbox, baseUrl: 'http://mollie.test' }
  const connector = [mollieCard(options), ...mollieRedirects(options)].find(
    (each) => each.definition.id === definition,
  )
  if (!connector) throw new Error(`no definition ${definition}`)
  const isCard = definition === 'mollie-card'
  const faults: Bench['faults'] = []
  const late: HttpRequest[] = []
  const committed: string[] = []
  let ids = 0

  const http = async (request: HttpRequest): Promise<HttpAnswer> => {
    const fault = faults.shift()
    if (fault === 'unsent') return { lost: true, sent: false, reason: 'ECONNREFUSED' }
    if (fault === 'lost before') {
      late.push(request)
      return { lost: true, sent: true, reason: 'no answer in time' }
    }
    if (typeof fault === 'object') return fault
    const { status, headers = {}, body } = fake.receive(request)
    if (fault === 'lost after') return { lost: true, sent: true, reason: 'the connection broke' }
    return {
      lost: false,
      status,
      headers,
      body: typeof body === 'object' && body !== null ? { ...body } : {},
    }
  }

  const call: Bench['call'] = (operation, payment) => {
    const full = operationFor(operation)
    const isOpening = full.kind === 'authorize' || full.kind === 'sale'
    const order = { ...purchase(), integrationClient: 'redirect' as const }
    return callFor({
      http,
      fields: bench.fields,
      operation: full,
      committed,
      ...(isOpening && {
        payment: paymentFor(
          isCard ? { instrument: { providerToken: 'tkn_approve' }, ...payment } : { order, ...payment },
        ),
      }),
    })
  }

  const bench: Bench = {
    fake,
    connector,
    faults,
    late,
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
      // recovery has no card any more
      return connector.close(call(operation, { instrument: {}, ...payment }))
    },
    async read(message) {
      const subjects = await connector.readNotification?.(call({}), message)
      return [subjects ?? []].flat()
    },
    nextId() {
      ids += 1
      const time = fake.now().toString(16).padStart(12, '0')
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${`${ids}`.padStart(12, '0')}`
    },
  }
  return bench
}

/** An authorized or paid payment, with the ids that its later operations get. */
export async function openPayment(
  bench: Bench,
  kind: 'authorize' | 'sale' = 'authorize',
  operation: Partial<OperationForCall> = {},
  payment?: Partial<PaymentContext>,
) {
  const id = bench.nextId()
  const outcome = await bench.run(kind, { id, ...operation }, payment)
  if (outcome.status !== 'approved' && outcome.status !== 'pending')
    throw new Error(`it is ${outcome.status}`)
  return { id, paymentReference: outcome.references.transaction ?? null, outcome }
}
