import type { Method } from '../connectors/contract/method.schema.ts'
import type { ConfiguredService } from '../payment-services/payment-service.store.ts'
import type { PaymentServiceSnapshot } from './transaction.row.ts'

/** The payment service as a transaction shows it, even after the service is renamed or deleted. */
export const paymentServiceSnapshot = (service: ConfiguredService): PaymentServiceSnapshot => ({
  payment_service_definition_id: service.payment_service_definition_id,
  method: service.method as Method,
  display_name: service.display_name,
})
