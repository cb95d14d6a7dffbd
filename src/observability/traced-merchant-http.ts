import type { Tracing } from '../base/tracing.ts'
import type { MerchantHttp } from '../outgoing/merchant-http.ts'

/** A client whose requests to merchants are steps of traces: where they went and what was answered, never a path, which may hold a credential. */
export const tracedMerchantHttp = (http: MerchantHttp, tracing: Tracing): MerchantHttp => ({
  request: (url, request) => {
    const attributes = () => ({ 'http.request.method': request.method, 'server.address': URL.parse(url)?.hostname ?? '' })
    return tracing.step('merchant request', { kind: 'client', attributes }, async (noted) => {
      const answer = await http.request(url, request)
      noted.attributes({ 'http.response.status_code': answer.status })
      if (answer.status >= 400) noted.failed(String(answer.status))
      return answer
    })
  },
  close: http.close,
})
