import fc from 'fast-check'
import { expect, test } from 'vitest'
import { giftCardErrorCodes } from '../../../connectors/contract/gift-card-error-codes.ts'
import { pinCodes, readPin } from './pins.ts'

const code = (pin: string) => {
  const read = readPin(pin)
  return 'error' in read ? read.error.code : undefined
}

test.each([
  ['0', 0],
  ['0000', 0],
  ['05000', 50_00],
  ['099999999', 99_999_999],
])('the PIN %s is a balance of %i', (pin, balance) => {
  expect(readPin(pin)).toEqual({ balance })
})

test.each([
  ['1000', 'validation_error', 'invalid_gift_card'],
  ['10', 'validation_error', 'invalid_gift_card'],
  ['10000', 'validation_error', 'invalid_gift_card'],
  ['1001', 'validation_error', 'expired_card'],
  ['11', 'validation_error', 'expired_card'],
  ['1002', 'validation_error', 'inactive_card'],
  ['1006', 'validation_error', 'insufficient_funds'],
  ['20009', 'server_error', 'service_error'],
  ['2010', 'server_error', 'service_network_error'],
  ['30003', 'client_error', 'invalid_service_credentials'],
  ['3011', 'client_error', 'unknown_error'],
])('the PIN %s is a %s, %s', (pin, kind, expected) => {
  expect(readPin(pin)).toEqual({ error: { kind, code: expected } })
})

test.each(['1', '1012', '4', '4000', '12345678', '0999999990', 'abcd', '-0', '0.5', '０', ''])(
  'the PIN %j is an unknown error',
  (pin) => {
    expect(code(pin)).toBe('unknown_error')
  },
)

test('each of the twelve codes has a PIN under each kind of error, with and without leading zeros', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('1', '2', '3'),
      fc.nat(pinCodes.length - 1),
      fc.nat(4),
      (first, index, width) => {
        expect(code(`${first}${String(index).padStart(width, '0')}`)).toBe(pinCodes[index])
      },
    ),
  )
  expect(pinCodes.filter((known) => !Object.hasOwn(giftCardErrorCodes, known))).toEqual([])
})

test('every text can be read as a PIN', () => {
  fc.assert(fc.property(fc.string(), (pin) => 'balance' in readPin(pin) || code(pin) !== undefined))
})
