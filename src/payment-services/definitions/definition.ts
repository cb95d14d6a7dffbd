import { countries } from '../../api/values/country.ts'
import { currencies } from '../../api/values/currency.ts'
import type { Connector, Definition } from '../../connectors/contract/connector.ts'
import type { Method } from '../../connectors/contract/method.schema.ts'
import type { PaymentServiceDefinition } from './definition.schema.ts'

export { isCurrency } from '../../api/values/currency.ts'

export const supportedCurrencies = (definition: Definition): readonly string[] =>
  definition.currencies.length > 0 ? definition.currencies : currencies

export const supportedCountries = (definition: Definition): readonly string[] =>
  definition.countries.length > 0 ? definition.countries : countries

/**
 * The type of a connector's definition does not know the API's list of methods; `definition.test.ts` checks
 * each definition against it.
 */
export const methodOf = ({ method }: { method: string }): Method => method as Method

/**
 * What our own pages show while a buyer approves, and how large a cart the payment service takes (semantics
 * §2).
 */
const configuration: PaymentServiceDefinition['configuration'] = {
  approval_ui_target: 'any',
  approval_ui_height: '100vh',
  approval_ui_width: '100vw',
  cart_items_limit: 249,
  cart_items_required: false,
  cart_items_should_match_amount: false,
}

/** A connector's definition as the API shows it. */
export function toPaymentServiceDefinition({ definition }: Connector): PaymentServiceDefinition {
  const verifiable = definition.features.verify_credentials ?? false
  return {
    id: definition.id,
    type: 'payment-service-definition',
    display_name: definition.displayName,
    method: methodOf(definition),
    fields: definition.fields.map(({ key, displayName, required, format, secret }) => ({
      key,
      display_name: displayName,
      required,
      format,
      secret,
      verifiable,
    })),
    reporting_fields: [],
    supported_currencies: [...supportedCurrencies(definition)],
    supported_countries: [...supportedCountries(definition)],
    mode: definition.mode,
    icon_url: null,
    supported_features: { ...definition.features },
    simulated_features: [...(definition.simulatedFeatures ?? [])],
    required_checkout_fields: [],
    configuration,
    supported_integration_clients: [...definition.integrationClients],
  }
}
