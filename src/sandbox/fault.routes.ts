import { badRequest, invalid } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { askSimulators } from './ask-simulators.ts'
import { FaultList, FaultScope } from './fault.schema.ts'
import type { FaultProblems } from './fault-problems.ts'

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
            'How the sandbox’s providers misbehave from now on, for every account, or with `payment_service_id` those of that payment service, the others as they do. An empty list mends everything. A fault that could never strike is refused.',
          tags,
          querystring: FaultScope,
          body: FaultList,
        },
      },
      async ({ body, query: { payment_service_id: only } }) =>
        ask('PUT', simulatorUrl, body, only === undefined ? '' : `?${new URLSearchParams({ payment_service_id: only })}`),
    )
  }

async function ask(method: 'GET' | 'PUT', simulatorUrl: string, body?: unknown, query = ''): Promise<unknown> {
  const { status, said } = await askSimulators<{ problems?: FaultProblems }>(simulatorUrl, method, `/faults${query}`, body)
  if (status !== 200) throw said.problems ? invalid(said.problems) : badRequest(said.message ?? 'The simulator refused the faults')
  return said
}
