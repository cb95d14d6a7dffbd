import { type Static, Type } from 'typebox'
import { Amount, Currency, Nullable, Text } from '../../../api/schema.ts'

const number = Type.String({ pattern: '^\\d{16,19}$' })
const pin = Type.String({ minLength: 1 })
const reference = Type.Optional(Nullable(Type.String()))

/** The bodies of requests. Unknown members are ignored. */
export const BalanceBody = Type.Object({ number, pin })

export const RedemptionBody = Type.Object({ number, pin, amount: Amount, currency: Currency })
export type RedemptionBody = Static<typeof RedemptionBody>

export const RefundBody = Type.Object({ amount: Amount, currency: Currency })
export type RefundBody = Static<typeof RefundBody>

export const ActivationBody = Type.Object({
  number,
  pin: Nullable(pin),
  amount: Nullable(Amount),
  currency: Nullable(Currency),
  reference,
})
export type ActivationBody = Static<typeof ActivationBody>

export const IssuanceBody = Type.Object({
  theme: Text(1, 200),
  amount: Amount,
  currency: Currency,
  reference,
})
export type IssuanceBody = Static<typeof IssuanceBody>
