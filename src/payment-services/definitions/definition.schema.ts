import { type Static, Type } from 'typebox'
import { Closed, Country, Currency, MapOf, Nullable, Open, Page, Text, Words } from '../../api/schema.ts'
import { ApprovalTarget, IntegrationClient, Method, Mode } from '../../connectors/contract/method.schema.ts'

export const DefinitionFieldFormat = Words('text', 'multiline', 'file', 'number', 'timezone', 'boolean')
export type DefinitionFieldFormat = Static<typeof DefinitionFieldFormat>

export const DefinitionField = Closed('DefinitionField', {
  key: Text(1, 50),
  display_name: Text(1, 200),
  required: Type.Boolean(),
  format: DefinitionFieldFormat,
  secret: Type.Boolean(),
  verifiable: Type.Boolean(),
})
export type DefinitionField = Static<typeof DefinitionField>

export const RequiredCheckoutFields = Closed('RequiredCheckoutFields', {
  required_fields: Type.Array(Type.String()),
  conditions: Nullable(Open),
})
export type RequiredCheckoutFields = Static<typeof RequiredCheckoutFields>

export const PaymentServiceConfiguration = Closed('PaymentServiceConfiguration', {
  approval_ui_target: ApprovalTarget,
  approval_ui_height: Type.String({ pattern: '^\\d+(?:vh|px)$' }),
  approval_ui_width: Type.String({ pattern: '^\\d+(?:vw|px)$' }),
  cart_items_limit: Type.Integer(),
  cart_items_required: Type.Boolean(),
  cart_items_should_match_amount: Type.Boolean(),
})
export type PaymentServiceConfiguration = Static<typeof PaymentServiceConfiguration>

export const PaymentServiceDefinition = Closed('PaymentServiceDefinition', {
  id: Text(1, 50),
  type: Type.Literal('payment-service-definition'),
  display_name: Text(1, 200),
  method: Method,
  fields: Type.Array(DefinitionField),
  reporting_fields: Type.Array(DefinitionField),
  supported_currencies: Type.Array(Currency),
  supported_countries: Type.Array(Country),
  mode: Mode,
  icon_url: Nullable(Type.String()),
  supported_features: MapOf(Type.Boolean()),
  simulated_features: Type.Array(Text(1, 50)),
  required_checkout_fields: Type.Array(RequiredCheckoutFields),
  configuration: PaymentServiceConfiguration,
  supported_integration_clients: Nullable(Type.Array(IntegrationClient)),
})
export type PaymentServiceDefinition = Static<typeof PaymentServiceDefinition>

export const PaymentServiceDefinitions = Page('PaymentServiceDefinitions', PaymentServiceDefinition)
export type PaymentServiceDefinitions = Static<typeof PaymentServiceDefinitions>
