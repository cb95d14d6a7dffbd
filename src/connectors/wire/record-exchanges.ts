import type { Exchange } from '../contract/call.ts'
import type { ProviderHttp } from './http.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'
import { withoutApprovalPages } from './redact.ts'

/** Wraps an HTTP client so that each request and its answer are recorded, redacted by `hide`. */
export function recordExchanges(
  http: Pick<ProviderHttp, 'request'>,
  clock: { now(): number },
  ids: { next(): string },
  hide: (value: unknown) => unknown,
) {
  const exchanges: Exchange[] = []
  const request = async (sent: HttpRequest): Promise<HttpAnswer> => {
    const started = clock.now()
    const answer = await http.request(sent)
    exchanges.push({
      id: ids.next(),
      method: sent.method,
      url: String(hide(sent.url)),
      request: hide(sent.body ?? sent.form ?? null),
      response: hide(keptBody(sent, answer)),
      status: answer.lost ? null : answer.status,
      started_at: new Date(started).toISOString(),
      ended_at: new Date(clock.now()).toISOString(),
    })
    return answer
  }
  return { request, exchanges }
}

const notOfThisCall = { not_kept: 'the answer has more than this call is about' }

/** What is kept of an answer, before it is redacted. */
function keptBody({ record }: HttpRequest, answer: HttpAnswer): unknown {
  if (answer.lost) return { lost: answer.reason }
  return record === 'metadata only' ? notOfThisCall : withoutApprovalPages(answer.body)
}
