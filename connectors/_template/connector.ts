import type { Call, Connector, HttpRequest, Outcome, ServiceCall } from 'railyard/connector'
import { readAnswer, readFinding } from './answer.ts'
import { definition } from './definition.ts'
import { readNotification } from './notification.ts'

interface Options {
  /** Replaces Acme's host: a proxy, or a server of a test. */
  baseUrl?: string
}

/** Acme's connector: which request is sent for which operation. */
export function acme({ baseUrl = 'https://api.acme.example' }: Options = {}): Connector {
  const request = (
    { service }: ServiceCall,
    method: HttpRequest['method'],
    path: string,
    body?: Record<string, unknown>,
  ): HttpRequest => ({
    method,
    url: `${baseUrl}/v1${path}`,
    headers: { authorization: `Bearer ${service.fields['api_key'] ?? ''}` },
    ...(body && { body }),
  })

  /** Sends an operation. Its id is Acme's reference and the idempotency key, the same each time. */
  async function send(call: Call, path: string, body: Record<string, unknown>): Promise<Outcome> {
    const { id } = call.operation
    const sent = request(call, 'POST', path, { ...body, reference: id })
    return readAnswer(call, await call.http({ ...sent, headers: { ...sent.headers, 'idempotency-key': id } }))
  }
  const onPayment = ({ operation }: Call, path: string): string =>
    `/payments/${encodeURIComponent(operation.paymentReference ?? '')}${path}`
  const openPayment = async (call: Call): Promise<Outcome> => {
    const { operation, payment, service } = call
    const token = payment?.instrument.providerToken
    // Acme takes the token of its browser script, and nothing else
    if (typeof token !== 'string') return noToken
    const purchase = await payment?.purchase()
    return send(call, '/payments', {
      amount: operation.amount,
      currency: operation.currency,
      capture: operation.kind === 'sale',
      token,
      statement_descriptor: purchase?.statementDescriptor ?? null,
      challenge_return_url: payment?.canChallenge ? purchase?.returnUrls.approved : null,
      webhook_url: service.notificationUrl,
    })
  }

  return {
    definition,
    operations: {
      authorize: openPayment,
      sale: openPayment,
      capture: (call) =>
        send(call, onPayment(call, '/captures'), {
          amount: call.operation.amount,
          final: call.operation.final,
        }),
      void: (call) => send(call, onPayment(call, '/voids'), {}),
      refund: (call) => send(call, onPayment(call, '/refunds'), { amount: call.operation.amount }),
    },
    find: async (call) =>
      readFinding(call, await call.http(request(call, 'GET', `/operations/${call.operation.id}`))),
    close: async (call) =>
      readFinding(call, await call.http(request(call, 'POST', `/operations/${call.operation.id}/close`))),
    async verifyCredentials(call) {
      const answer = await call.http(request(call, 'GET', '/account'))
      if (answer.lost || answer.status >= 500) return 'no answer'
      return answer.status === 200 ? 'accepted' : 'refused'
    },
    readNotification,
  }
}

const noToken: Outcome = {
  status: 'failed',
  code: 'invalid_payment_method',
  facts: {},
  references: {},
  unprocessed: true,
}
