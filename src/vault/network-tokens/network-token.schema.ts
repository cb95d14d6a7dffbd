import { type Static, Type } from 'typebox'
import { CardExpiry, Closed, Described, Nullable, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'

export const NetworkTokenStatus = Words('active', 'inactive', 'suspended', 'deleted')

export const NetworkToken = Closed('NetworkToken', {
  type: Type.Literal('network-token'),
  id: Uuid,
  expiration_date: CardExpiry,
  payment_method_id: Uuid,
  status: Described(NetworkTokenStatus, '`inactive` while it is being deleted at the scheme'),
  token: Described(Text(1, 300), 'The number that stands for the card’s'),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type NetworkToken = Static<typeof NetworkToken>

export const NetworkTokens = Type.Object({ items: Type.Array(NetworkToken) }, { title: 'NetworkTokens' })

export const NetworkTokenCreate = Closed('NetworkTokenCreate', {
  security_code: Type.Optional(Nullable(Type.String({ pattern: '^\\d+$', minLength: 3, maxLength: 4 }))),
  merchant_initiated: Type.Boolean(),
  is_subsequent_payment: Type.Boolean(),
})
export type NetworkTokenCreate = Static<typeof NetworkTokenCreate>

export const CryptogramCreate = Closed('CryptogramCreate', { merchant_initiated: Type.Boolean() })

export const Cryptogram = Closed('Cryptogram', {
  type: Type.Literal('network-token-cryptogram'),
  cryptogram: Described(Type.String(), 'Good for one payment'),
})
