import { badGateway, badRequest } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import type { World } from '../world.ts'
import { FaultList } from './fault.schema.ts'

/** The fault switch of the simulators (sandbox only). It is handed on over HTTP, as the simulators may run in a process of their own. */
export const faultRoutes =
  (simulatorUrl: string): Routes =>
  (app, world) => {
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
      async () => ask(world, 'GET', simulatorUrl),
    )

    app.put(
      '/sandbox/faults',
      {
        config,
        schema: {
          operationId: 'set_sandbox_faults',
          summary: 'Set faults',
          description: 'How the sandbox’s providers misbehave from now on, for every account; an empty list mends everything.',
          tags,
          body: FaultList,
        },
      },
      async ({ body }) => ask(world, 'PUT', simulatorUrl, body),
    )
  }

async function ask({ http }: World, method: 'GET' | 'PUT', simulatorUrl: string, body?: unknown): Promise<unknown> {
  const answer = await http.request({ method, url: `${simulatorUrl}/faults`, ...(body !== undefined && { body }) })
  if (answer.lost) throw badGateway("The sandbox's providers cannot be reached")
  if (answer.status !== 200) throw badRequest(String(answer.body['message'] ?? 'The simulator refused the faults'))
  return answer.body
}
