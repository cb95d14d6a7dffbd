import { readFileSync } from 'node:fs'
import type { OperationForCall } from '../../../src/connectors/contract/call.ts'
import type { Outcome } from '../../../src/connectors/contract/outcome.ts'
import { type Bench, bench, visa } from './support.ts'

export type Json = Record<string, unknown>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export interface Case {
  id: string
  calls?: string[]
  responses: string[]
  expect: Record<string, unknown>
}

export interface Recorded {
  fixtures: Record<string, Json>
  cases: Case[]
}

export const judge = <Content>(name: string): Content =>
  JSON.parse(readFileSync(new URL(`../../contracts/judges/stripe/${name}.json`, import.meta.url), 'utf8'))

/** An answer that was recorded; an error without its status has the one that Stripe gives it. */
export function recordedAnswer(fixture: Json): { status: number; body: Json } {
  const { status, body } = fixture
  if (typeof status === 'number' && isObject(body)) return { status, body }
  const { error } = fixture
  if (!isObject(error)) return { status: 200, body: fixture }
  const statuses: Record<string, number> = { card_error: 402, api_error: 500 }
  return { status: statuses[String(error['type'])] ?? 400, body: fixture }
}

/** The intent that an answer is about. */
export function intentIn(body: Json): Json | undefined {
  if (body['object'] === 'payment_intent' || body['object'] === 'setup_intent') return body
  const { error } = body
  const inner = isObject(error) ? (error['payment_intent'] ?? error['setup_intent']) : undefined
  return isObject(inner) ? inner : undefined
}

const markerPrefixes: Partial<Record<OperationForCall['kind'], string>> = { capture: 'cap', increment: 'inc' }

/** What the connector makes of an answer to an operation: Stripe gives it to every request. */
export async function conclude(
  kind: OperationForCall['kind'],
  { status, body }: { status: number; body: Json },
  { connector, call }: Pick<Bench, 'connector' | 'call'> = bench(),
): Promise<Outcome | undefined> {
  const intent = intentIn(body)
  const reference = typeof intent?.['id'] === 'string' ? intent['id'] : 'pi_1'
  const currency = String(body['currency'] ?? intent?.['currency'] ?? 'eur').toUpperCase()
  const amount = Number(body['amount'] ?? intent?.['amount'] ?? 1000)
  const isPayment = kind === 'authorize' || kind === 'sale'
  const asked = call(
    {
      kind,
      amount,
      currency,
      ...(isPayment ? { committedReference: reference } : { paymentReference: reference }),
    },
    isPayment ? visa : undefined,
  )
  const { id } = asked.operation
  const prefix = markerPrefixes[kind]
  const marked = {
    railyard_operation: id,
    ...(prefix && { [`${prefix}_${id.replaceAll('-', '')}`]: `${amount}` }),
  }
  // what Stripe would have kept of our request
  const answered = isObject(body['metadata'])
    ? { ...body, metadata: { ...body['metadata'], ...marked } }
    : body
  return connector.operations[kind]?.({
    ...asked,
    http: async () => ({ lost: false, status, headers: {}, body: answered }),
  })
}
