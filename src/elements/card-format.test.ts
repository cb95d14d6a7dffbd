import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { schemeOf as schemeOfVault } from '../vault/cards/card.ts'
import { passesLuhn as passesVault } from '../vault/cards/luhn.ts'
import { schemesOfScript } from './card-schemes.ts'
import { digitsOf, expiryTyped, grouped, passesLuhn, readExpiry, schemeOf } from './script/card-format.js'

const numbers = fc.array(fc.nat(9), { minLength: 13, maxLength: 19 }).map((digits) => digits.join(''))

test('the page accepts the card numbers that the vault accepts', () => {
  fc.assert(fc.property(numbers, (number) => passesLuhn(number) === passesVault(number)))
  for (const length of [12, 20]) expect(passesLuhn('0'.repeat(length))).toBe(false)
})

test('a card number is shown in groups, and its digits stay the same', () => {
  fc.assert(
    fc.property(
      numbers,
      fc.constantFrom([4, 8, 12], [4, 10]),
      (number, gaps) => digitsOf(grouped(number, gaps)) === number,
    ),
  )
  expect(grouped('378282246310005', [4, 10])).toBe('3782 822463 10005')
})

test.each([
  ['4111111111111111', 'Visa', 'visa'],
  ['5555555555554444', 'Mastercard', 'mastercard'],
  ['2720990000000007', 'Mastercard', 'mastercard'],
  ['378282246310005', 'American Express', 'amex'],
  ['6011000990139424', 'Discover', 'discover'],
  ['3566002020360505', 'JCB', 'jcb'],
  ['6221261111111111', 'UnionPay', 'unionpay'],
])('%s is recognized as %s while it is typed, as the vault recognizes it', (number, name, scheme) => {
  expect(schemeOf(number.slice(0, 6), schemesOfScript)?.name).toBe(name)
  expect(schemeOfVault(number)).toBe(scheme)
})

test('a number that fits no scheme has none', () => {
  for (const digits of ['', '9', '9000100111111111'])
    expect(schemeOf(digits, schemesOfScript)).toBeUndefined()
})

describe('the expiration date of a card', () => {
  test.each([
    ['1', '1'],
    ['12', '12'],
    ['123', '12 / 3'],
    ['1235', '12 / 35'],
    ['9', '09'],
    ['935', '09 / 35'],
    ['9/35', '09 / 35'],
    ['1/35', '01 / 35'],
    ['12/2035', '12 / 35'],
    ['12 / 35', '12 / 35'],
    ['', ''],
  ])('%s is written as %s while it is typed', (text, written) => expect(expiryTyped(text)).toBe(written))

  test('a card is valid to the end of its month', () => {
    const day = new Date(2026, 10, 30)
    expect(readExpiry('11 / 26', day)).toEqual({ date: '11/26' })
    expect(readExpiry('10 / 26', day)).toBe('expiryPast')
    expect(readExpiry('01 / 27', day)).toEqual({ date: '01/27' })
    for (const text of ['', '11', '13 / 30', '00 / 30', '11 / 2'])
      expect(readExpiry(text, day)).toBe('expiryInvalid')
  })
})
