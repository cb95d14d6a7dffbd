import type { Call, Instrument } from '../contract/call.ts'
import type { Connector, TokenizeAnswer } from '../contract/connector.ts'
import { readReportList } from '../contract/offered-reports.ts'
import type { Outcome } from '../contract/outcome.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { readAccount, readResult, toOutcome } from '../wire/simulator-answer.ts'
import { simulatorBooks } from '../wire/simulator-books.ts'
import { simulatorRequest } from '../wire/simulator-request.ts'
import { definition } from './definition.ts'
import { disputeAnswers } from './disputes.ts'
import { settlementReport } from './settlement-report.ts'

/** `baseUrl` is the simulator's, e.g. `http://127.0.0.1:9090/card`. */
export function mockCard(baseUrl: string): Connector {
  const request = simulatorRequest(baseUrl, { header: 'x-merchant-id', field: 'merchant_id' })
  const send = async (call: Call, path: string, body: unknown): Promise<Outcome> =>
    toOutcome(call, await call.http(request(call, 'POST', path, body, call.operation.id)))
  const followUp = (path: string, body: (call: Call) => unknown) => (call: Call) =>
    send(call, `/payments/${encodeURIComponent(call.operation.paymentReference ?? '')}${path}`, body(call))

  return {
    definition,
    operations: {
      authorize: (call) => send(call, '/payments', payment(call)),
      sale: (call) => send(call, '/payments', payment(call)),
      capture: followUp('/captures', ({ operation }) => ({
        amount: operation.amount,
        final: operation.final,
      })),
      void: followUp('/void', () => ({})),
      cancel: followUp('/cancel', () => ({})),
      increment: followUp('/increments', ({ operation }) => ({ amount: operation.amount })),
      refund: followUp('/refunds', ({ operation }) => ({ amount: operation.amount })),
      payout: (call) => send(call, '/payouts', payout(call)),
    },
    ...simulatorBooks(request, readResult),
    verifyCredentials: async (call) => readAccount(await call.http(request(call, 'GET', '/account'))),
    settlementReport,
    async offeredReports(call, since) {
      const answer = await call.http(request(call, 'GET', `/reports?since=${encodeURIComponent(since)}`))
      return readReportList(answer, (path) => request(call, 'GET', path))
    },
    async tokenize(call) {
      const { number, expirationDate, securityCode } = call.card
      const card = { number, expiration_date: expirationDate, security_code: securityCode }
      return readToken(call.id, await call.http(request(call, 'POST', '/tokens', { card }, call.id)))
    },
    async session(call, body) {
      const answer = await call.http(request(call, 'POST', '/sessions', body))
      if (answer.lost)
        return { status: 'failed', code: 'service_network_error', statusCode: null, body: null }
      if (answer.status === 200) return { status: 'succeeded', statusCode: 200, body: answer.body }
      return {
        status: 'failed',
        code: answer.status === 401 ? 'invalid_service_credentials' : 'service_error',
        statusCode: answer.status,
        body: answer.body,
      }
    },
    disputes: disputeAnswers(request),
    readNotification: async (_call, { body }) =>
      typeof body['key'] === 'string' ? { about: 'operation', operation: body['key'] } : { about: 'nothing' },
  }
}

/** The simulator's answer to a request to store a card. */
function readToken(id: string, answer: HttpAnswer): TokenizeAnswer {
  if (answer.lost) return { status: 'unknown', reason: answer.reason }
  // a conflict is with another request under our own key
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 409) return { status: 'refused' }
  const { key, token } = answer.body
  return key === id && typeof token === 'string' && token !== ''
    ? { status: 'succeeded', token }
    : { status: 'unknown', reason: `HTTP ${answer.status}` }
}

/** The body of a payout. */
function payout({ operation, payout, service }: Call) {
  const { card, networkToken, serviceToken } = payout?.instrument ?? {}
  return {
    amount: operation.amount,
    currency: operation.currency,
    ...(card && { card: { number: card.number, expiration_date: card.expirationDate } }),
    ...(networkToken && {
      network_token: { number: networkToken.number, expiration_date: networkToken.expirationDate },
    }),
    ...(serviceToken && { token: serviceToken }),
    category: payout?.category ?? null,
    merchant: payout?.merchant ?? null,
    notification_url: service.notificationUrl,
  }
}

/** The simulator's browser tokens are texts; it knows no other. */
const browserToken = (token: NonNullable<Instrument['providerToken']>): string =>
  typeof token === 'string' ? token : JSON.stringify(token)

/** The body of an authorization or a sale. */
function payment({ operation, payment, service }: Call) {
  const { card, networkToken, serviceToken, providerToken, earlierPayment } = payment?.instrument ?? {}
  const stored = payment?.storedCredential
  const proof = payment?.authentication
  return {
    kind: operation.kind,
    amount: operation.amount,
    currency: operation.currency,
    ...(card && {
      card: { number: card.number, expiration_date: card.expirationDate, security_code: card.securityCode },
    }),
    ...(networkToken && {
      network_token: {
        number: networkToken.number,
        expiration_date: networkToken.expirationDate,
        cryptogram: networkToken.cryptogram,
        eci: networkToken.eci,
        source: networkToken.source,
      },
    }),
    ...(serviceToken && { token: serviceToken }),
    ...(providerToken && {
      browser_token: browserToken(providerToken),
      store: payment?.storesInstrument ?? false,
    }),
    ...(earlierPayment && { reference_payment_id: earlierPayment }),
    ...(stored && {
      stored_credential: {
        initiator: stored.initiator,
        usage: stored.usage,
        reason: stored.reason,
        scheme_transaction_id: stored.schemeTransactionId,
        transaction_link_id: stored.transactionLinkId,
      },
    }),
    ...(proof && {
      three_d_secure: {
        eci: proof.eci,
        cavv: proof.cavv,
        version: proof.version,
        directory_transaction_id: proof.directory_transaction_id,
        directory_response: proof.directory_response,
        authentication_response: proof.authentication_response,
      },
    }),
    ...(payment?.isRenewedCard && { renewed_card: true }),
    billing_postal_code: payment?.billingPostalCode ?? null,
    allow_partial: payment?.allowPartialAuthorization ?? false,
    merchant_advice_code: payment?.options['merchant_advice_code'] ?? null,
    notification_url: service.notificationUrl,
  }
}
