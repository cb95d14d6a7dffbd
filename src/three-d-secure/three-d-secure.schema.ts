import { type Static, Type } from 'typebox'
import { Closed, Erasable, Nullable, Text, Words } from '../api/schema.ts'
import { CardScheme } from '../connectors/contract/method.schema.ts'

export const ThreeDSecureDataV1 = Closed('ThreeDSecureDataV1', {
  cavv: Type.String(),
  eci: Type.String({ pattern: '^0?\\d$', minLength: 1, maxLength: 2 }),
  version: Type.String({ pattern: '^[12](\\.\\d+){0,2}$' }),
  directory_response: Type.String({ maxLength: 1 }),
  scheme: Type.Optional(Nullable(CardScheme)),
  authentication_response: Type.String({ maxLength: 1 }),
  cavv_algorithm: Type.String({ maxLength: 1 }),
  xid: Type.String(),
})
export type ThreeDSecureDataV1 = Static<typeof ThreeDSecureDataV1>

export const ThreeDSecureDataV2 = Closed('ThreeDSecureDataV2', {
  cavv: Type.String(),
  eci: Type.String({ pattern: '^0?\\d$', minLength: 1, maxLength: 2 }),
  version: Type.String({ pattern: '^[12](\\.\\d+){0,2}$' }),
  directory_response: Type.String({ maxLength: 1 }),
  scheme: Type.Optional(Nullable(CardScheme)),
  authentication_response: Type.Optional(Nullable(Type.String({ maxLength: 1 }))),
  directory_transaction_id: Type.String(),
})
export type ThreeDSecureDataV2 = Static<typeof ThreeDSecureDataV2>

export const ThreeDSecure = Closed('ThreeDSecure', {
  amount: Type.Optional(Nullable(Type.Integer())),
})
export type ThreeDSecure = Static<typeof ThreeDSecure>

export const ThreeDSecureStatus = Words('setup_error', 'error', 'declined', 'cancelled', 'complete')
export type ThreeDSecureStatus = Static<typeof ThreeDSecureStatus>

export const ThreeDSecureMethod = Words('challenge', 'frictionless')
export type ThreeDSecureMethod = Static<typeof ThreeDSecureMethod>

export const ThreeDSecureV2 = Closed('ThreeDSecureV2', {
  version: Type.String({ pattern: '^[12](\\.\\d+){0,2}$' }),
  authentication_response: Type.Optional(Nullable(Type.String())),
  directory_response: Type.Optional(Nullable(Type.String())),
  directory_transaction_id: Type.Optional(Nullable(Type.String())),
  transaction_reason: Type.Optional(Nullable(Type.String())),
  cavv: Type.Optional(Nullable(Type.String())),
  eci: Type.Optional(Nullable(Type.String({ pattern: '^0?\\d$', minLength: 1, maxLength: 2 }))),
  cardholder_info: Type.Optional(Erasable(Nullable(Type.String()))),
})
export type ThreeDSecureV2 = Static<typeof ThreeDSecureV2>

export const ThreeDSecureError = Closed('ThreeDSecureError', {
  code: Type.Optional(Nullable(Text(3, 3))),
  description: Type.Optional(Nullable(Type.String({ maxLength: 2048 }))),
  detail: Type.Optional(Nullable(Type.String({ maxLength: 2048 }))),
  component: Type.Optional(Nullable(Text(1, 1))),
})
export type ThreeDSecureError = Static<typeof ThreeDSecureError>

export const TransactionThreeDSecureSummary = Closed('TransactionThreeDSecureSummary', {
  version: Nullable(Type.String({ pattern: '^[12](\\.\\d+){0,2}$' })),
  status: Nullable(ThreeDSecureStatus),
  method: Nullable(ThreeDSecureMethod),
  response_data: Nullable(Type.Union([ThreeDSecureDataV1, ThreeDSecureV2])),
  error_data: Nullable(ThreeDSecureError),
  amount: Nullable(Type.Integer()),
})
export type TransactionThreeDSecureSummary = Static<typeof TransactionThreeDSecureSummary>
