import { readSubjects } from '../../../src/connector-kit/harness.ts'
import type {
  Call,
  OperationForCall,
  OperationKind,
  PaymentContext,
  StoredNotice,
} from '../../../src/connectors/contract/call.ts'
import type {
  Connector,
  NotificationForCall,
  NotificationSubject,
} from '../../../src/connectors/contract/connector.ts'
import type { BookFinding, Outcome } from '../../../src/connectors/contract/outcome.ts'
import { callFor, operationFor, paymentFor } from '../../support/domains/connector-call.ts'
import { type FaultyHttp, faultyHttp } from './faulty-http.ts'
import type { TimedFake } from './newest-fake.ts'

export type { Fault } from './faulty-http.ts'

/** A connector and the fake provider that it talks to. */
export interface Bench<Fake> extends Pick<FaultyHttp, 'faults' | 'late'> {
  fake: Fake
  connector: Connector
  committed: string[]
  marks: string[]
  fields: Record<string, string>
  call(operation: Partial<OperationForCall>, payment?: Partial<PaymentContext>): Call
  run(
    kind: OperationKind,
    operation?: Partial<OperationForCall>,
    payment?: Partial<PaymentContext>,
  ): Promise<Outcome>
  find(operation: Partial<OperationForCall>, payment?: Partial<PaymentContext>): Promise<BookFinding>
  /** As recovery does: without what paid. */
  close(operation: Partial<OperationForCall>, payment?: Partial<PaymentContext>): Promise<BookFinding>
  /** What a notification is about. */
  read(message: NotificationForCall): Promise<NotificationSubject[]>
  /** An operation id of this moment: a UUIDv7. */
  nextId(): string
}

interface BenchOptions<Fake> {
  fake: Fake
  /** The connectors of the provider, of which `definition` names one. */
  connectors: readonly Connector[]
  definition: string
  fields: Readonly<Record<string, string>>
  /** What an authorization or a sale is paid with, unless its test says otherwise. */
  payment: Partial<PaymentContext>
  /** The notices about an operation. */
  noticesOf?: (operation: OperationForCall) => StoredNotice[]
  answersInstead?: boolean
}

export function openBenchOf<Fake extends TimedFake>(options: BenchOptions<Fake>): Bench<Fake> {
  const { fake, connectors, definition, payment: usual, noticesOf, answersInstead = false } = options
  const connector = connectors.find((each) => each.definition.id === definition)
  if (!connector) throw new Error(`no definition ${definition}`)
  const { http, faults, late } = faultyHttp(fake, { answersInstead })
  const committed: string[] = []
  const marks: string[] = []

  const bench: Bench<Fake> = {
    fake,
    connector,
    faults,
    late,
    committed,
    marks,
    fields: { ...options.fields },
    call(asked, payment) {
      const operation = operationFor({
        committedReference: committed.at(-1) ?? null,
        mark: marks.at(-1) ?? null,
        ...asked,
      })
      const isOpening = operation.kind === 'authorize' || operation.kind === 'sale'
      return callFor({
        http,
        fields: bench.fields,
        operation,
        committed,
        marks,
        ...(noticesOf && { notices: noticesOf(operation) }),
        ...(isOpening && { payment: paymentFor({ ...usual, ...payment }) }),
      })
    },
    async run(kind, operation = {}, payment) {
      const act = connector.operations[kind]
      if (!act) throw new Error(`${definition} has no ${kind}`)
      return act(bench.call({ kind, ...operation }, payment))
    },
    find: (operation, payment) => connector.find(bench.call(operation, payment)),
    async close(operation, payment) {
      if (!connector.close) throw new Error(`${definition} does not close`)
      return connector.close(bench.call(operation, { instrument: {}, ...payment }))
    },
    read: (message) => readSubjects(connector, bench.call({}), message),
    nextId: () => newId(fake.now()),
  }
  return bench
}

let ids = 0

/** The id of an operation that is written at this time: a UUIDv7. */
export function newId(now: number): string {
  ids += 1
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${`${ids}`.padStart(12, '0')}`
}
