import type { Tracing } from '../base/tracing.ts'
import type { MerchantHttp } from '../outgoing/merchant-http.ts'

/**
 * Makes each request to a merchant a step of a trace, with its host and the status of the answer, and never
 * its path, which may contain a credential.
 */
export const tracedMerchantHttp = (http: MerchantHttp, tracing: Tracing): MerchantHttp => ({
  request: (url, request) => {
    const attributes = () => ({
      'http.request.method': request.method,
      'server.address': URL.parse(url)?.hostname ?? '',
    })
    return tracing.step('merchant request', { kind: 'client', attributes }, async (notes) => {
      const answer = await http.request(url, request)
      notes.attributes({ 'http.response.status_code': answer.status })
      if (answer.status >= 400) notes.failed(String(answer.status))
      return answer
    })
  },
  close: http.close,
})
