import type { OperationForCall, PaymentContext } from '../../../src/connectors/contract/call.ts'
import { mollieCard, mollieRedirects } from '../../../src/connectors/mollie/connector.ts'
import { purchase } from '../../support/domains/connector-call.ts'
import * as shared from '../support/bench.ts'
import { API_KEY, type MollieFake, mollieFake } from './fake.ts'

export const fields = { api_key: API_KEY }

export type Bench = shared.Bench<MollieFake>

/**
 * A connector and the provider that it talks to. `definition`: of a redirect method. An answer among the
 * faults is one that Mollie gives instead of doing what is asked.
 */
export function openBench(definition = 'mollie-card', isSandbox = true): Bench {
  const fake = mollieFake()
  const options = { clock: fake, isSandbox, baseUrl: 'http://mollie.test' }
  const order = { ...purchase(), integrationClient: 'redirect' as const }
  return shared.openBenchOf({
    fake,
    connectors: [mollieCard(options), ...mollieRedirects(options)],
    definition,
    fields,
    payment: definition === 'mollie-card' ? { instrument: { providerToken: 'tkn_approve' } } : { order },
    answersInstead: true,
  })
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
