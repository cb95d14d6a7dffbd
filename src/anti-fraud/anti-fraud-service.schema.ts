import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Text, Timestamp, Uuid } from '../api/schema.ts'
import { Field, VoidableField } from '../configured-services/field.schema.ts'

const DefinitionId = Text(1, 50)

const Position = Described(
  Type.Integer({ minimum: 0, maximum: 1_000_000 }),
  'Of several active services the one with the lowest is asked',
)

export const AntiFraudService = Closed('AntiFraudService', {
  type: Type.Literal('anti-fraud-service'),
  id: Uuid,
  merchant_account_id: Type.String(),
  anti_fraud_service_definition_id: DefinitionId,
  display_name: Text(1, 200),
  active: Type.Boolean(),
  position: Position,
  fields: Type.Array(Field),
  webhook_url: Described(
    Nullable(Type.String()),
    'The URL to which the service sends, in signed messages, its decision about a payment under review. Null for callers without the scope `anti-fraud-services.write`',
  ),
  is_deleted: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type AntiFraudService = Static<typeof AntiFraudService>

export const AntiFraudServices = Page('AntiFraudServices', AntiFraudService)
export type AntiFraudServices = Static<typeof AntiFraudServices>

export const AntiFraudServiceCreate = Closed('AntiFraudServiceCreate', {
  anti_fraud_service_definition_id: DefinitionId,
  display_name: Text(1, 200),
  fields: Type.Array(Field),
  active: Type.Optional(Nullable(Type.Boolean())),
  position: Type.Optional(Nullable(Described(Position, 'Absent: after the account’s last service'))),
})
export type AntiFraudServiceCreate = Static<typeof AntiFraudServiceCreate>

/** Omitted members and null change nothing. */
export const AntiFraudServiceUpdate = Closed('AntiFraudServiceUpdate', {
  display_name: Type.Optional(Nullable(Text(1, 200))),
  fields: Type.Optional(Nullable(Type.Array(VoidableField))),
  active: Type.Optional(Nullable(Type.Boolean())),
  position: Type.Optional(Nullable(Position)),
})
export type AntiFraudServiceUpdate = Static<typeof AntiFraudServiceUpdate>
