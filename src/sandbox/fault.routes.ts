import { request } from 'undici'
import { aheadHere } from '../account-time.ts'
import { badGateway, badRequest } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { AHEAD_HEADER } from '../connectors/http.ts'
import { FaultList, FaultScope } from './fault.schema.ts'

/** The fault switch of the simulators (sandbox only). It is handed on over HTTP, as the simulators may run in a process of their own. */
export const faultRoutes =
  (simulatorUrl: string): Routes =>
  (app) => {
    const config = { scopes: ['payment-services.write'] }
    const tags = ['Sandbox']

    app.get(
      '/sandbox/faults',
      {
        config,
        schema: {
          operationId: 'get_sandbox_faults',
          summary: 'Get faults',
          description: 'How the sandbox’s providers misbehave just now, with `struck`: how often each did.',
          tags,
        },
      },
      async () => ask('GET', simulatorUrl),
    )

    app.put(
      '/sandbox/faults',
      {
        config,
        schema: {
          operationId: 'set_sandbox_faults',
          summary: 'Set faults',
          description:
            'How the sandbox’s providers misbehave from now on, for every account, or with `payment_service_id` those of that payment service, the others as they do. An empty list mends everything.',
          tags,
          querystring: FaultScope,
          body: FaultList,
        },
      },
      async ({ body, query: { payment_service_id: only } }) =>
        ask('PUT', simulatorUrl, body, only === undefined ? '' : `?${new URLSearchParams({ payment_service_id: only })}`),
    )
  }

/** No payment service is asked here, so its time limit is none of this. */
const TIMEOUT_MS = 10_000

async function ask(method: 'GET' | 'PUT', simulatorUrl: string, body?: unknown, query = ''): Promise<unknown> {
  const answer = await request(`${simulatorUrl}/faults${query}`, {
    method,
    // windows that begin in a while are of the account's time
    headers: { 'content-type': 'application/json', [AHEAD_HEADER]: String(aheadHere()) },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw badGateway("The sandbox's providers cannot be reached")
  })
  const said = (await answer.body.json()) as Record<string, unknown>
  if (answer.statusCode !== 200) throw badRequest(String(said['message'] ?? 'The simulator refused the faults'))
  return said
}
