import type { AntiFraudConnector } from '../connectors/contract/anti-fraud-connector.ts'
import type { World } from '../world.ts'
import { antiFraudServices, type ConfiguredAntiFraudService } from './anti-fraud-service.store.ts'
import type { ScreeningService } from './screening.schema.ts'

/** The service that checks an account's payments; undefined: the account has none. */
export async function screeningService(world: World, account: string): Promise<ScreeningService | undefined> {
  const service = (await antiFraudServices(world, account)).find(
    ({ active, anti_fraud_service_definition_id: definition }) => {
      return active && world.antiFraudConnectors.has(definition)
    },
  )
  return service && identityOf(service)
}

/**
 * A configured service with its connector, which is undefined if this installation has none for it any more.
 */
export interface ResolvedService {
  identity: ScreeningService
  connector: AntiFraudConnector | undefined
  /** The argument of each call that identifies the service. */
  service: { id: string; fields: ConfiguredAntiFraudService['values'] }
}

/** One service, deleted or not: a deleted one may still decide its reviews. */
export async function antiFraudServiceById(
  world: World,
  account: string,
  id: string,
): Promise<ResolvedService | undefined> {
  const row = (await antiFraudServices(world, account)).find((service) => service.id === id)
  if (!row) return undefined
  const connector = world.antiFraudConnectors.get(row.anti_fraud_service_definition_id)
  return { identity: identityOf(row), connector, service: { id: row.id, fields: row.values } }
}

const identityOf = ({
  id,
  display_name,
  anti_fraud_service_definition_id,
}: ConfiguredAntiFraudService): ScreeningService => ({
  id,
  name: display_name,
  definition_id: anti_fraud_service_definition_id,
})
