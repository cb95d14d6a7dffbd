import { badRequest, invalid, invalidQuery } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import type { World } from '../../world.ts'
import { requestSimulator } from '../request-simulator.ts'
import { FaultList, FaultScope, schemeServices } from './fault.schema.ts'
import type { FaultProblems } from './validate-fault.ts'

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
      async () => sendFaultRequest('GET', simulatorUrl),
    )

    app.put(
      '/sandbox/faults',
      {
        config,
        schema: {
          operationId: 'set_sandbox_faults',
          summary: 'Set faults',
          description:
            'How the sandbox’s providers misbehave from now on, for every account, or with `payment_service_id` those of that payment service, the others as they do. An empty list mends everything. A fault that could never strike is refused, and so is one of a payment service that does not exist.',
          tags,
          querystring: FaultScope,
          body: FaultList,
        },
      },
      async ({ body, query: { payment_service_id: only } }) => {
        await refuseUnknownServices(world, body, only)
        return sendFaultRequest('PUT', simulatorUrl, body, only === undefined ? '' : `?${new URLSearchParams({ payment_service_id: only })}`)
      },
    )
  }

/** Whose faults can be set beside those of services with an id. */
const namedServices: readonly string[] = Object.values(schemeServices)

const unknownServices = `
select asked.id from unnest($1::text[]) asked (id) where asked.id not in
  (select id::text from payment_services union all select id::text from gift_card_services union all select id::text from anti_fraud_services)`

/** Faults are the whole instance's, whichever merchant account a service is of. Throws 400. */
async function refuseUnknownServices({ run }: World, { items }: FaultList, only: string | undefined): Promise<void> {
  const asked = [only, ...items.map(({ payment_service_id: id }) => id)].filter((id) => typeof id === 'string' && !namedServices.includes(id))
  if (asked.length === 0) return
  const unknown = new Set((await run<{ id: string }>(unknownServices, [asked])).map(({ id }) => id))
  const why = (id: string) => `there is no payment service ${id}`
  if (only !== undefined && unknown.has(only)) throw invalidQuery('payment_service_id', why(only))
  const details = items.flatMap(({ payment_service_id: id }, index) =>
    id && unknown.has(id) ? [[`/items/${index}/payment_service_id`, why(id)]] : [],
  )
  if (details.length > 0) throw invalid(Object.fromEntries(details))
}

async function sendFaultRequest(method: 'GET' | 'PUT', simulatorUrl: string, body?: unknown, query = ''): Promise<unknown> {
  const { status, said } = await requestSimulator<{ problems?: FaultProblems }>(simulatorUrl, method, `/faults${query}`, body)
  if (status !== 200) throw said.problems ? invalid(said.problems) : badRequest(said.message ?? 'The simulator refused the faults')
  return said
}
