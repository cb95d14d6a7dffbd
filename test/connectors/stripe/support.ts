import type { Call, OperationForCall, PaymentContext } from '../../../src/connectors/contract/call.ts'
import type { Connector } from '../../../src/connectors/contract/connector.ts'
import { stripeCard, stripeMethods } from '../../../src/connectors/stripe/connector.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { callFor, operationFor, paymentFor } from '../../support/domains/connector-call.ts'
import { newId } from '../support/bench.ts'
import { faultyHttp } from '../support/faulty-http.ts'
import { FakeStripe, WEBHOOK_SECRET } from './fake.ts'

export const fields = {
  secret_key: 'sk_test_fake',
  publishable_key: 'pk_test_fake',
  webhook_secret: WEBHOOK_SECRET,
}

/** What happens to the answers: `lose` loses that of a matching request after Stripe has processed it. */
export interface Bench {
  stripe: FakeStripe
  connector: Connector
  /** The connector of a method beside cards. */
  method: (id: string) => Connector
  http: (request: HttpRequest) => Promise<HttpAnswer>
  lose: (matches: (request: HttpRequest) => boolean) => void
  call: (
    operation?: Partial<OperationForCall>,
    payment?: Partial<PaymentContext>,
    more?: Partial<Call>,
  ) => Call
  committed: string[]
}

export function bench(more: { isSandbox?: boolean; fields?: Record<string, string> } = {}): Bench {
  const stripe = new FakeStripe()
  const committed: string[] = []
  const options = { clock: stripe, isSandbox: more.isSandbox ?? true }
  const { http: way, faults } = faultyHttp(stripe)
  let loses: ((request: HttpRequest) => boolean) | undefined
  const http = async (request: HttpRequest): Promise<HttpAnswer> => {
    if (loses?.(request)) {
      loses = undefined
      faults.push('lost after')
    }
    return way(request)
  }
  return {
    stripe,
    connector: stripeCard(options),
    method: (id) => {
      const connector = stripeMethods(options).find(({ definition }) => definition.id === id)
      if (!connector) throw new Error(`there is no ${id}`)
      return connector
    },
    http,
    lose: (matches) => {
      loses = matches
    },
    committed,
    call: (operation = {}, payment, extra = {}) => ({
      ...callFor({
        http,
        fields: { ...fields, ...more.fields },
        operation: operationFor({ id: newId(stripe.now()), ...operation }),
        ...(payment && { payment: paymentFor(payment) }),
        committed,
      }),
      ...extra,
    }),
  }
}

export const visa = { instrument: { providerToken: 'pm_card_visa' } } satisfies Partial<PaymentContext>
