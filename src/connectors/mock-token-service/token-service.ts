import type { SchemeToken, TokenAnswer, TokenHttp, TokenService } from '../contract/token-service.ts'
import type { HttpAnswer, HttpRequest } from '../wire/http-message.ts'

/** The sandbox's token services. `baseUrl` is the simulator's, e.g. `http://127.0.0.1:9090/tokens`. */
export function mockTokenService(baseUrl: string): TokenService {
  const request = (id: string, method: HttpRequest['method'], action = '', body?: unknown): HttpRequest => ({
    method,
    url: `${baseUrl}/${id}${action}`,
    ...(body !== undefined && { body }),
  })
  const send = async <T>(
    http: TokenHttp,
    request: HttpRequest,
    read: (body: Record<string, unknown>) => T | undefined,
  ) => toAnswer(await http(request), read)

  return {
    schemes: ['visa', 'mastercard', 'amex', 'discover'],
    provision: (http, { id, card, requestor, ...more }) =>
      send(
        http,
        request(id, 'PUT', '', {
          card: {
            number: card.number,
            expiration_date: card.expirationDate,
            security_code: card.securityCode,
          },
          requestor_id: requestor.id,
          app_id: requestor.appId,
          merchant_initiated: more.merchantInitiated,
          subsequent: more.isSubsequentPayment,
          notification_url: more.notificationUrl,
        }),
        (body) => readToken(id, body),
      ),
    find: (http, id) => send(http, request(id, 'GET'), (body) => readToken(id, body)),
    suspend: (http, id) => send(http, request(id, 'POST', '/suspend', {}), (body) => readToken(id, body)),
    resume: (http, id) => send(http, request(id, 'POST', '/resume', {}), (body) => readToken(id, body)),
    delete: (http, id) =>
      send(http, request(id, 'DELETE'), (body) => (body['status'] === 'deleted' ? null : undefined)),
    cryptogram: (http, id, merchantInitiated) =>
      send(
        http,
        request(id, 'POST', '/cryptograms', { merchant_initiated: merchantInitiated }),
        ({ cryptogram, eci }) =>
          typeof cryptogram === 'string' && cryptogram !== ''
            ? { cryptogram, eci: typeof eci === 'string' ? eci : null }
            : undefined,
      ),
  }
}

/**
 * A 4xx means that it was not done. After a lost answer, a 5xx or an unreadable answer it may have been done.
 */
function toAnswer<T>(
  answer: HttpAnswer,
  read: (body: Record<string, unknown>) => T | undefined,
): TokenAnswer<T> {
  if (answer.lost) return { status: 'unknown', reason: answer.reason }
  if (answer.status >= 400 && answer.status < 500)
    return { status: 'refused', reason: String(answer.body['message'] ?? `HTTP ${answer.status}`) }
  const value = answer.status < 300 ? read(answer.body) : undefined
  return value === undefined
    ? { status: 'unknown', reason: `HTTP ${answer.status}` }
    : { status: 'done', value }
}

const digits = /^\d{13,19}$/
const expiry = /^\d{2}\/\d{2}$/

/** Undefined if it is not a token, or is another token than the request's. */
function readToken(
  id: string,
  { id: tokenId, status, token, expiration_date: expires }: Record<string, unknown>,
): SchemeToken | undefined {
  const isKnown = status === 'active' || status === 'suspended' || status === 'deleted'
  if (tokenId !== id || !isKnown || typeof token !== 'string' || !digits.test(token)) return undefined
  return typeof expires === 'string' && expiry.test(expires)
    ? { status, number: token, expirationDate: expires }
    : undefined
}
