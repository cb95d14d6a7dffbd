import { type Static, Type } from 'typebox'
import { Closed, Nullable, Page, Text, Timestamp, Uuid } from '../../api/schema.ts'
import { Field, VoidableField } from '../../configured-services/field.schema.ts'
import { GiftCardServiceProvider } from '../redemptions/redemption.schema.ts'

/** A gift card service with its configuration; `GiftCardService` is its summary in a gift card. */
export const ConfiguredGiftCardService = Closed('ConfiguredGiftCardService', {
  type: Type.Literal('gift-card-service'),
  id: Uuid,
  merchant_account_id: Type.String(),
  gift_card_service_definition_id: GiftCardServiceProvider,
  display_name: Text(1, 200),
  active: Type.Boolean(),
  fields: Type.Array(Field),
  is_deleted: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type ConfiguredGiftCardService = Static<typeof ConfiguredGiftCardService>

export const ConfiguredGiftCardServices = Page('ConfiguredGiftCardServices', ConfiguredGiftCardService)
export type ConfiguredGiftCardServices = Static<typeof ConfiguredGiftCardServices>

export const GiftCardServiceCreate = Closed('GiftCardServiceCreate', {
  gift_card_service_definition_id: GiftCardServiceProvider,
  display_name: Text(1, 200),
  fields: Type.Array(Field),
  active: Type.Optional(Nullable(Type.Boolean())),
})
export type GiftCardServiceCreate = Static<typeof GiftCardServiceCreate>

/** Where the gift card service sends its notifications. The URL is their only credential at Railyard. */
export const GiftCardServiceWebhook = Closed('GiftCardServiceWebhook', {
  type: Type.Literal('gift-card-service-webhook'),
  url: Type.String(),
})
export type GiftCardServiceWebhook = Static<typeof GiftCardServiceWebhook>

/** Omitted members and null change nothing. */
export const GiftCardServiceUpdate = Closed('GiftCardServiceUpdate', {
  display_name: Type.Optional(Nullable(Text(1, 200))),
  fields: Type.Optional(Nullable(Type.Array(VoidableField))),
  active: Type.Optional(Nullable(Type.Boolean())),
})
export type GiftCardServiceUpdate = Static<typeof GiftCardServiceUpdate>
