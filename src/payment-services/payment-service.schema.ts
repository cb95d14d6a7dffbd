import { type Static, Type } from 'typebox'
import {
  Closed,
  Country,
  Currency,
  Described,
  MapOf,
  Nullable,
  Open,
  Page,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../api/schema.ts'
import { Field, VoidableField } from '../configured-services/field.schema.ts'
import { Method } from '../connectors/contract/method.schema.ts'

const merchantProfileMembers = {
  merchant_acquirer_bin: Type.String({ maxLength: 11 }),
  merchant_acquirer_id: Type.String({ maxLength: 35 }),
  merchant_name: Type.String({ maxLength: 40 }),
  merchant_country_code: Type.String(),
  merchant_category_code: Text(4, 4),
  merchant_url: Type.String(),
}

export const MerchantProfileScheme = Closed('MerchantProfileScheme', merchantProfileMembers)
export type MerchantProfileScheme = Static<typeof MerchantProfileScheme>

export const MerchantProfileSchemeSummary = Closed('MerchantProfileSchemeSummary', {
  ...merchantProfileMembers,
  created_at: Timestamp,
})
export type MerchantProfileSchemeSummary = Static<typeof MerchantProfileSchemeSummary>

export const PaymentServiceStatus = Words('pending', 'created', 'failed')
export type PaymentServiceStatus = Static<typeof PaymentServiceStatus>

export const PaymentService = Closed('PaymentService', {
  type: Type.Literal('payment-service'),
  id: Uuid,
  merchant_account_id: Type.String(),
  payment_service_definition_id: Text(1, 50),
  active: Type.Boolean(),
  method: Method,
  display_name: Text(1, 200),
  position: Type.Integer(),
  status: PaymentServiceStatus,
  accepted_currencies: Type.Array(Currency),
  accepted_countries: Type.Array(Country),
  payment_method_tokenization_enabled: Type.Boolean(),
  network_tokens_enabled: Type.Boolean(),
  open_loop: Type.Boolean(),
  settlement_reporting_enabled: Type.Boolean(),
  three_d_secure_enabled: Nullable(Type.Boolean()),
  merchant_profile: Nullable(MapOf(Nullable(MerchantProfileSchemeSummary))),
  webhook_url: Nullable(Type.String()),
  fields: Nullable(Type.Array(Field)),
  reporting_fields: Nullable(Type.Array(Field)),
  is_deleted: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type PaymentService = Static<typeof PaymentService>

export const PaymentServices = Page('PaymentServices', PaymentService)
export type PaymentServices = Static<typeof PaymentServices>

export const PaymentServiceCreate = Closed('PaymentServiceCreate', {
  display_name: Text(1, 200),
  payment_service_definition_id: Text(1, 50),
  fields: Type.Array(Field),
  reporting_fields: Type.Optional(Nullable(Type.Array(Field))),
  position: Type.Optional(Nullable(Type.Integer())),
  accepted_currencies: Type.Array(Currency, { minItems: 1 }),
  accepted_countries: Type.Array(Country, { minItems: 1 }),
  active: Type.Optional(Nullable(Type.Boolean())),
  three_d_secure_enabled: Type.Optional(Type.Boolean()),
  merchant_profile: Type.Optional(Nullable(MapOf(Nullable(MerchantProfileScheme)))),
  payment_method_tokenization_enabled: Type.Optional(Nullable(Type.Boolean())),
  network_tokens_enabled: Type.Optional(Nullable(Type.Boolean())),
  open_loop: Type.Optional(Nullable(Type.Boolean())),
  settlement_reporting_enabled: Type.Optional(Type.Boolean()),
})
export type PaymentServiceCreate = Static<typeof PaymentServiceCreate>

export const PaymentServiceUpdate = Closed('PaymentServiceUpdate', {
  display_name: Type.Optional(Nullable(Text(1, 200))),
  fields: Type.Optional(Nullable(Type.Array(VoidableField))),
  reporting_fields: Type.Optional(Nullable(Type.Array(VoidableField))),
  position: Type.Optional(Nullable(Type.Integer())),
  accepted_currencies: Type.Optional(Nullable(Type.Array(Currency, { minItems: 1 }))),
  accepted_countries: Type.Optional(Nullable(Type.Array(Country, { minItems: 1 }))),
  active: Type.Optional(Nullable(Type.Boolean())),
  three_d_secure_enabled: Type.Optional(Nullable(Type.Boolean())),
  merchant_profile: Type.Optional(Nullable(MapOf(Nullable(MerchantProfileScheme)))),
  payment_method_tokenization_enabled: Type.Optional(Nullable(Type.Boolean())),
  network_tokens_enabled: Type.Optional(Nullable(Type.Boolean())),
  open_loop: Type.Optional(Nullable(Type.Boolean())),
  settlement_reporting_enabled: Type.Optional(Type.Boolean()),
})
export type PaymentServiceUpdate = Static<typeof PaymentServiceUpdate>

export const VerifyCredentials = Closed('VerifyCredentials', {
  payment_service_definition_id: Type.String(),
  payment_service_id: Type.Optional(Nullable(Uuid)),
  fields: Type.Array(Field),
})
export type VerifyCredentials = Static<typeof VerifyCredentials>

export const CreateSessionStatus = Words('succeeded', 'failed')
export type CreateSessionStatus = Static<typeof CreateSessionStatus>

export const CreateSession = Closed('CreateSession', {
  type: Type.Literal('payment-service-session'),
  status: CreateSessionStatus,
  code: Nullable(Type.String()),
  status_code: Nullable(Type.Integer()),
  response_body: Nullable(Open),
  /** Not in the specification: added by Railyard. */
  message: Nullable(
    Described(
      Type.String(),
      'Why it could not be generated, where the payment service was not asked; null otherwise',
    ),
  ),
})
export type CreateSession = Static<typeof CreateSession>
