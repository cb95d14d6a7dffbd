/** The error codes of the digits after the first digit of a PIN, counted from 0 (semantics §6.2). */
export const pinCodes = [
  'invalid_gift_card',
  'expired_card',
  'inactive_card',
  'invalid_service_credentials',
  'invalid_amount',
  'incorrect_currency',
  'insufficient_funds',
  'invalid_service_configuration',
  'operation_canceled',
  'service_error',
  'service_network_error',
  'unknown_error',
] as const

/** The error kinds of the first digit of a PIN. */
const errorKinds = { 1: 'validation_error', 2: 'server_error', 3: 'client_error' } as const
type FirstDigit = keyof typeof errorKinds

export type GiftCardErrorKind = (typeof errorKinds)[FirstDigit]

/** The HTTP status of each kind of error. */
export const errorStatuses: Record<GiftCardErrorKind, number> = {
  validation_error: 422,
  server_error: 500,
  client_error: 400,
}

export interface GiftCardError {
  kind: GiftCardErrorKind
  code: string
}

/** A balance of up to 99,999,999: a PIN has at most nine digits. */
const balancePin = /^0\d{0,8}$/
const errorPin = /^([123])(\d{1,4})$/

/**
 * A PIN that begins with 0 is the card's balance: `0` to `099999999` in the smallest unit. `1`, `2` or `3`
 * and a number from 0 to 11, with or without leading zeros, is an error: `1000`, `100` and `10` are all
 * invalid_gift_card, `20009` is a server's service_error. Every other PIN is an unknown_error.
 */
export function readPin(pin: string): { balance: number } | { error: GiftCardError } {
  if (balancePin.test(pin)) return { balance: Number(pin) }
  const [, first = '', rest = ''] = errorPin.exec(pin) ?? []
  const kind = isFirstDigit(first) ? errorKinds[first] : 'client_error'
  return { error: { kind, code: (rest && pinCodes[Number(rest)]) || 'unknown_error' } }
}

const isFirstDigit = (digit: string): digit is `${FirstDigit}` => Object.hasOwn(errorKinds, digit)
