import { Type } from 'typebox'
import { orNotFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import { pageOf, readPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { pageQuery, Uuid } from '../../api/schema.ts'
import { findService } from '../../configured-services/configured-service.store.ts'
import { cursorPositionOf, listPaymentServices, paymentServiceKind } from '../payment-service.store.ts'
import { closedCircuit } from './circuit.ts'
import { showHealth } from './payment-service-health.representation.ts'
import { PaymentServiceHealth, PaymentServicesHealth } from './payment-service-health.schema.ts'
import { readHealth } from './payment-service-health.store.ts'

const tags = ['Payment services']
const config = { scopes: ['payment-services.read'] }

export const paymentServiceHealthRoutes: Routes = (app, world) => {
  const healthOf = async (account: string, services: readonly { id: string; created_at: string }[]) => {
    const recorded = await readHealth(
      world,
      services.map(({ id }) => ({ account, service: id })),
    )
    const byId = new Map(recorded.map((health) => [health.service, health]))
    return (service: { id: string; created_at: string }) =>
      showHealth(
        byId.get(service.id) ?? { account, service: service.id, circuit: closedCircuit, buckets: [] },
        {
          now: world.machineClock.now(),
          since: service.created_at,
        },
      )
  }

  app.get(
    '/payment-service-health',
    {
      config,
      schema: {
        operationId: 'list_payment_service_health',
        summary: 'List the health of payment services',
        description:
          'How well each configured payment service of the account answers, in the order of `GET /payment-services`.',
        tags,
        headers,
        querystring: Type.Object(pageQuery()),
        response: { 200: PaymentServicesHealth },
      },
    },
    async ({ query, account }) => {
      const list = ['payment-service-health', account].join('\n')
      const page = readPage(world.cipher, list, query)
      const rows = await listPaymentServices(world, account, { method: null, deleted: false }, page)
      return pageOf(world.cipher, list, page, rows, cursorPositionOf, await healthOf(account, rows))
    },
  )

  app.get(
    '/payment-services/:payment_service_id/health',
    {
      config,
      schema: {
        operationId: 'get_payment_service_health',
        summary: 'Get the health of a payment service',
        description:
          'How well a payment service answers: the state of its circuit, and what its calls of the last minute came to.',
        tags,
        headers,
        params: Type.Object({ payment_service_id: Uuid }),
        response: { 200: PaymentServiceHealth },
      },
    },
    async ({ params, account }) => {
      const found = await findService(world, paymentServiceKind, account, params.payment_service_id)
      const service = orNotFound(found)
      const show = await healthOf(account, [service])
      return show(service)
    },
  )
}
