import type { AntiFraudConnector } from '../connectors/anti-fraud-connector.ts'
import type { World } from '../world.ts'
import { antiFraudServices, type ServiceWithSecrets } from './anti-fraud-service.store.ts'
import type { ScreeningService } from './screening.schema.ts'

/** The service that an account's payments are shown to; undefined where it has none. */
export async function screeningService(world: World, account: string): Promise<ScreeningService | undefined> {
  const service = (await antiFraudServices(world, account)).find(({ active, anti_fraud_service_definition_id: definition }) => {
    return active && world.antiFraudConnectors.has(definition)
  })
  return service && identityOf(service)
}

/** A configured service, and who speaks to it; `connector` is undefined where this installation cannot reach it any more. */
export interface ResolvedService {
  identity: ScreeningService
  connector: AntiFraudConnector | undefined
  /** What each call to it says of it. */
  service: { id: string; fields: ServiceWithSecrets['values'] }
}

/** One service, deleted or not: what it holds for review it may still decide. */
export async function antiFraudServiceById(world: World, account: string, id: string): Promise<ResolvedService | undefined> {
  const row = (await antiFraudServices(world, account)).find((service) => service.id === id)
  if (!row) return undefined
  const connector = world.antiFraudConnectors.get(row.anti_fraud_service_definition_id)
  return { identity: identityOf(row), connector, service: { id: row.id, fields: row.values } }
}

const identityOf = ({ id, display_name, anti_fraud_service_definition_id }: ServiceWithSecrets): ScreeningService => ({
  id,
  name: display_name,
  definition_id: anti_fraud_service_definition_id,
})
