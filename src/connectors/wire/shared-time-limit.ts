import type { ProviderHttp } from './http.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'

/**
 * An HTTP client whose requests have one time limit together, from the first one on. A call may need several:
 * however many it sends, the payment service has answered, or the answer is lost, before the operation's
 * deadline (`answerDeadline`). A request for which no time is left is not sent.
 */
export function sharedTimeLimit(
  http: Pick<ProviderHttp, 'request'>,
  limitMs: number,
): Pick<ProviderHttp, 'request'> {
  let end: number | undefined
  return {
    async request(sent: HttpRequest): Promise<HttpAnswer> {
      end ??= performance.now() + limitMs
      const leftMs = end - performance.now()
      return leftMs > 0 ? http.request(sent, leftMs) : noTimeLeft
    },
  }
}

const noTimeLeft: HttpAnswer = { lost: true, sent: false, reason: 'no time was left to send it' }
