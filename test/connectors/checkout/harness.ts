import { checkoutCard } from '../../../src/connectors/checkout/connector.ts'
import type {
  OperationForCall,
  PaymentContext,
  PurchaseForCall,
} from '../../../src/connectors/contract/call.ts'
import type { NotificationSubject } from '../../../src/connectors/contract/connector.ts'
import { purchase } from '../../support/domains/connector-call.ts'
import * as shared from '../support/bench.ts'
import { type CheckoutFake, checkoutFake, SECRET_KEY, WEBHOOK_KEY } from './fake.ts'

export type { Fault } from '../support/bench.ts'

export const fields = {
  secret_key: SECRET_KEY,
  environment: 'sandbox',
  webhook_key: WEBHOOK_KEY,
  authorization_type: 'estimated',
}

export interface Bench extends shared.Bench<CheckoutFake> {
  /** What the due notifications are about. */
  deliver(): Promise<NotificationSubject[]>
}

/** A connector and the provider that it talks to. */
export function openBench(): Bench {
  const fake = checkoutFake()
  const bench = shared.openBenchOf({
    fake,
    connectors: [checkoutCard({ clock: fake, isSandbox: true, baseUrl: 'http://checkout.test' })],
    definition: 'checkout-card',
    fields,
    payment: { instrument: { providerToken: 'tok_visa' } },
  })
  return Object.assign(bench, {
    deliver: async () => (await Promise.all(fake.takeNotifications().map(bench.read))).flat(),
  })
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
