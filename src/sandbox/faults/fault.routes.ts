import { badRequest, invalid, invalidQuery } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import type { World } from '../../world.ts'
import { requestSimulator } from '../request-simulator.ts'
import { FaultList, FaultScope, schemeProviderIds } from './fault.schema.ts'
import type { FaultProblems } from './validate-fault.ts'

/**
 * The fault switch of the simulators (sandbox only). It sends the faults over HTTP, since the simulators may
 * run in another process.
 */
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
            'How the sandbox’s providers misbehave from now on, for every account, or with `payment_service_id` those of that payment service, the others as they do. An empty list mends everything. A fault that could never strike is refused, and so is one of a payment service that does not exist or is not simulated.',
          tags,
          querystring: FaultScope,
          body: FaultList,
        },
      },
      async ({ body, query: { payment_service_id: only } }) => {
        await refuseServicesWithoutSimulator(world, body, only)
        return sendFaultRequest(
          'PUT',
          simulatorUrl,
          body,
          only === undefined ? '' : `?${new URLSearchParams({ payment_service_id: only })}`,
        )
      },
    )
  }

/** The services without an id of their own that faults can name. */
const namedServices: readonly string[] = Object.values(schemeProviderIds)

const namedServicesWithSimulator = `
select id::text,
       payment_service_definition_id like 'mock-%'
       or fields @> '[{"key": "environment", "value": "simulator"}]' as has_simulator
  from payment_services
 where id::text = any ($1)
 union all
select id::text,
       gift_card_service_definition_id like 'mock-%'
  from gift_card_services
 where id::text = any ($1)
 union all
select id::text,
       anti_fraud_service_definition_id like 'mock-%'
  from anti_fraud_services
 where id::text = any ($1)`

/**
 * Faults belong to the whole instance, so a service may be of any merchant account. Throws 400 for an unknown
 * one, and for one whose requests reach no simulator.
 */
async function refuseServicesWithoutSimulator(
  { run }: World,
  { items }: FaultList,
  only: string | undefined,
): Promise<void> {
  const named = [only, ...items.map(({ payment_service_id: id }) => id)].filter(
    (id) => typeof id === 'string' && !namedServices.includes(id),
  )
  if (named.length === 0) return
  const rows = await run<{ id: string; has_simulator: boolean }>(namedServicesWithSimulator, [named])
  const known = new Map(rows.map(({ id, has_simulator }) => [id, has_simulator]))
  const problemOf = (id: string): string | undefined => {
    if (namedServices.includes(id) || known.get(id) === true) return undefined
    return known.has(id)
      ? `would never strike: payment service ${id} is not simulated, and faults strike simulators only`
      : `there is no payment service ${id}`
  }
  const scopeProblem = only && problemOf(only)
  if (scopeProblem) throw invalidQuery('payment_service_id', scopeProblem)
  const details = items.flatMap(({ payment_service_id: id }, index) => {
    const problem = id ? problemOf(id) : undefined
    return problem ? [[`/items/${index}/payment_service_id`, problem]] : []
  })
  if (details.length > 0) throw invalid(Object.fromEntries(details))
}

async function sendFaultRequest(
  method: 'GET' | 'PUT',
  simulatorUrl: string,
  body?: unknown,
  query = '',
): Promise<unknown> {
  const { status, answer } = await requestSimulator<{ problems?: FaultProblems }>(
    simulatorUrl,
    method,
    `/faults${query}`,
    body,
  )
  if (status !== 200)
    throw answer.problems
      ? invalid(answer.problems)
      : badRequest(answer.message ?? 'The simulator refused the faults')
  return answer
}
