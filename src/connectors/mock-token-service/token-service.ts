import type { HttpAnswer, HttpRequest } from '../http-message.ts'
import type { SchemeToken, TokenAnswer, TokenHttp, TokenService } from '../token-service.ts'

/** The token services of the sandbox's schemes. `baseUrl` is the simulator's, e.g. `http://127.0.0.1:9090/tokens`. */
export function mockTokenService(baseUrl: string): TokenService {
  const at = (id: string, method: HttpRequest['method'], action = '', body?: unknown): HttpRequest => ({
    method,
    url: `${baseUrl}/${id}${action}`,
    ...(body !== undefined && { body }),
  })
  const ask = async <T>(http: TokenHttp, request: HttpRequest, read: (body: Record<string, unknown>) => T | undefined) =>
    toAnswer(await http(request), read)

  return {
    schemes: ['visa', 'mastercard', 'amex', 'discover'],
    provision: (http, { id, card, requestor, ...more }) =>
      ask(
        http,
        at(id, 'PUT', '', {
          card: { number: card.number, expiration_date: card.expirationDate, security_code: card.securityCode },
          requestor_id: requestor.id,
          app_id: requestor.appId,
          merchant_initiated: more.merchantInitiated,
          subsequent: more.isSubsequentPayment,
          notification_url: more.notificationUrl,
        }),
        (body) => readToken(id, body),
      ),
    find: (http, id) => ask(http, at(id, 'GET'), (body) => readToken(id, body)),
    suspend: (http, id) => ask(http, at(id, 'POST', '/suspend', {}), (body) => readToken(id, body)),
    resume: (http, id) => ask(http, at(id, 'POST', '/resume', {}), (body) => readToken(id, body)),
    delete: (http, id) => ask(http, at(id, 'DELETE'), (body) => (body['status'] === 'deleted' ? null : undefined)),
    cryptogram: (http, id, merchantInitiated) =>
      ask(http, at(id, 'POST', '/cryptograms', { merchant_initiated: merchantInitiated }), ({ cryptogram, eci }) =>
        typeof cryptogram === 'string' && cryptogram !== '' ? { cryptogram, eci: typeof eci === 'string' ? eci : null } : undefined,
      ),
  }
}

/** A 4xx was not done. A lost answer, a 5xx and what cannot be read may have been. */
function toAnswer<T>(answer: HttpAnswer, read: (body: Record<string, unknown>) => T | undefined): TokenAnswer<T> {
  if (answer.lost) return { status: 'unknown', reason: answer.reason }
  if (answer.status >= 400 && answer.status < 500) return { status: 'refused', reason: String(answer.body['message'] ?? `HTTP ${answer.status}`) }
  const value = answer.status < 300 ? read(answer.body) : undefined
  return value === undefined ? { status: 'unknown', reason: `HTTP ${answer.status}` } : { status: 'done', value }
}

const digits = /^\d{13,19}$/
const expiry = /^\d{2}\/\d{2}$/

/** Undefined for what is no token, or another one than was asked for. */
function readToken(id: string, { id: theirs, status, token, expiration_date: expires }: Record<string, unknown>): SchemeToken | undefined {
  const isKnown = status === 'active' || status === 'suspended' || status === 'deleted'
  if (theirs !== id || !isKnown || typeof token !== 'string' || !digits.test(token)) return undefined
  return typeof expires === 'string' && expiry.test(expires) ? { status, number: token, expirationDate: expires } : undefined
}
