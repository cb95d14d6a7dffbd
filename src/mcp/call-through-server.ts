import type { App } from '../api/app.ts'
import { sendToOwnServer } from '../api/request/send-to-own-server.ts'
import { type CallApi, headersOf, urlOf } from './call-api.ts'

/**
 * Calls the API inside the process, without the network: each request passes the hooks of the server, as if a
 * client had sent it. `headers` name the caller; `remoteAddress` is the client's.
 */
export const callThroughServer =
  (app: App, headers: Readonly<Record<string, string>>, remoteAddress?: string): CallApi =>
  async (request) => {
    const { method, body } = request
    const answer = await sendToOwnServer(app, {
      method,
      url: urlOf(request),
      headers: {
        ...headers,
        ...headersOf(request),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
      ...(remoteAddress !== undefined && { remoteAddress }),
    })
    return { status: answer.statusCode, body: answer.body === '' ? undefined : JSON.parse(answer.body) }
  }
