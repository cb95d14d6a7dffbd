import { type Static, Type } from 'typebox'
import {
  Closed,
  Country,
  Erasable,
  Nullable,
  Page,
  Personal,
  PhoneNumber,
  Text,
  Timestamp,
  Uuid,
  Words,
} from '../api/schema.ts'

export const Address = Closed('Address', {
  city: Type.Optional(Nullable(Text(1, 100))),
  country: Type.Optional(Nullable(Country)),
  postal_code: Type.Optional(Nullable(Text(1, 50))),
  state: Type.Optional(Nullable(Text(1, 255))),
  state_code: Type.Optional(Nullable(Type.String({ pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$' }))),
  house_number_or_name: Type.Optional(Nullable(Text(1, 255))),
  line1: Type.Optional(Nullable(Text(1, 255))),
  line2: Type.Optional(Nullable(Text(1, 255))),
  organization: Type.Optional(Nullable(Text(1, 255))),
})
export type Address = Static<typeof Address>

export const TaxIdKind = Words(
  'ae.trn',
  'au.abn',
  'ar.dni',
  'ar.cuil',
  'ar.cuit',
  'br.cnpj',
  'br.cpf',
  'ca.bn',
  'ca.gst_hst',
  'ca.pst_bc',
  'ca.pst_mb',
  'ca.pst_sk',
  'ca.qst',
  'ch.vat',
  'cl.tin',
  'co.itin',
  'co.nit',
  'co.cc',
  'co.ce',
  'co.de',
  'co.rc',
  'co.ti',
  'co.passport',
  'es.cif',
  'eu.vat',
  'gb.vat',
  'hk.br',
  'id.nik',
  'id.npwp',
  'in.gst',
  'in.pan',
  'jp.cn',
  'jp.rn',
  'kr.brn',
  'li.uid',
  'mx.curp',
  'mx.rfc',
  'my.frp',
  'my.itn',
  'my.nric',
  'my.sst',
  'no.vat',
  'nz.gst',
  'pe.ruc',
  'ph.tin',
  'ru.inn',
  'ru.kpp',
  'sa.vat',
  'sg.gst',
  'sg.uen',
  'th.id',
  'th.vat',
  'tw.vat',
  'us.ein',
  'za.vat',
  'bo.ci',
  'uy.rut',
  'uy.ci',
)
export type TaxIdKind = Static<typeof TaxIdKind>

export const TaxId = Closed('TaxId', {
  value: Text(1, 50),
  kind: TaxIdKind,
})
export type TaxId = Static<typeof TaxId>

export const BillingDetails = Closed('BillingDetails', {
  first_name: Type.Optional(Nullable(Text(1, 255))),
  last_name: Type.Optional(Nullable(Text(1, 255))),
  email_address: Type.Optional(Nullable(Text(1, 320))),
  phone_number: Type.Optional(Nullable(PhoneNumber)),
  address: Type.Optional(Nullable(Address)),
  tax_id: Type.Optional(Nullable(TaxId)),
})
export type BillingDetails = Static<typeof BillingDetails>

/** A buyer in a request; every member is optional (semantics §8). */
const buyerInput = {
  display_name: Type.Optional(Personal(Nullable(Text(1, 200)))),
  external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  billing_details: Type.Optional(Personal(Nullable(BillingDetails))),
  account_number: Type.Optional(Personal(Nullable(Text(1, 200)))),
}

export const BuyerCreate = Closed('BuyerCreate', buyerInput)
export type BuyerCreate = Static<typeof BuyerCreate>

/** Omitted members stay as they are, null clears; `billing_details` are merged at their first level. */
export const BuyerUpdate = Closed('BuyerUpdate', buyerInput)
export type BuyerUpdate = Static<typeof BuyerUpdate>

export const Buyer = Closed('Buyer', {
  type: Type.Literal('buyer'),
  id: Uuid,
  reconciliation_id: Type.String(),
  merchant_account_id: Type.String(),
  display_name: Personal(Nullable(Text(1, 200))),
  external_identifier: Erasable(Nullable(Text(1, 200))),
  billing_details: Personal(Nullable(BillingDetails)),
  account_number: Personal(Nullable(Text(1, 200))),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Buyer = Static<typeof Buyer>

export const Buyers = Page('Buyers', Buyer)
export type Buyers = Static<typeof Buyers>

/** Shipping details in a request; every member is optional. */
const shippingInput = {
  first_name: Type.Optional(Personal(Nullable(Text(1, 255)))),
  last_name: Type.Optional(Personal(Nullable(Text(1, 255)))),
  email_address: Type.Optional(Personal(Nullable(Text(1, 320)))),
  phone_number: Type.Optional(Personal(Nullable(PhoneNumber))),
  address: Type.Optional(Personal(Nullable(Address))),
}

export const ShippingDetailsCreate = Closed('ShippingDetailsCreate', shippingInput)
export type ShippingDetailsCreate = Static<typeof ShippingDetailsCreate>

/** Omitted members stay as they are, null clears; an address replaces the whole address. */
export const ShippingDetailsUpdate = Closed('ShippingDetailsUpdate', shippingInput)
export type ShippingDetailsUpdate = Static<typeof ShippingDetailsUpdate>

export const ShippingDetails = Closed('ShippingDetails', {
  first_name: Personal(Nullable(Text(1, 255))),
  last_name: Personal(Nullable(Text(1, 255))),
  email_address: Personal(Nullable(Text(1, 320))),
  phone_number: Personal(Nullable(PhoneNumber)),
  address: Personal(Nullable(Address)),
  id: Nullable(Uuid),
  buyer_id: Nullable(Uuid),
  type: Type.Literal('shipping-details'),
})
export type ShippingDetails = Static<typeof ShippingDetails>

export const ShippingDetailsList = Type.Object(
  { items: Type.Array(ShippingDetails) },
  { title: 'ShippingDetailsList' },
)
export type ShippingDetailsList = Static<typeof ShippingDetailsList>

export const GuestBuyer = Closed('GuestBuyer', {
  display_name: Type.Optional(Personal(Nullable(Text(1, 200)))),
  external_identifier: Type.Optional(Erasable(Nullable(Text(1, 200)))),
  billing_details: Type.Optional(Personal(Nullable(BillingDetails))),
  account_number: Type.Optional(Personal(Nullable(Text(1, 200)))),
  shipping_details: Type.Optional(Personal(Nullable(ShippingDetailsCreate))),
})
export type GuestBuyer = Static<typeof GuestBuyer>

export const TransactionBuyer = Closed('TransactionBuyer', {
  type: Type.Literal('buyer'),
  id: Nullable(Uuid),
  reconciliation_id: Nullable(Type.String()),
  display_name: Personal(Nullable(Text(1, 200))),
  external_identifier: Erasable(Nullable(Text(1, 200))),
  billing_details: Personal(Nullable(BillingDetails)),
  account_number: Personal(Nullable(Text(1, 200))),
})
export type TransactionBuyer = Static<typeof TransactionBuyer>
