import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '../../api/errors.ts'
import type { World } from '../../world.ts'
import { readCard, schemeOf } from './card.ts'
import { passesLuhn } from './luhn.ts'

const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((each) => each.join(''))
const body = fc.integer({ min: 12, max: 18 }).chain(digits)
const withCheckDigit = (text: string): string =>
  [...'0123456789'].map((digit) => text + digit).find(passesLuhn) ?? ''

test('each number has exactly one check digit', () => {
  fc.assert(
    fc.property(body, (text) => {
      expect([...'0123456789'].filter((digit) => passesLuhn(text + digit))).toHaveLength(1)
    }),
  )
})

test('one wrong digit is always detected', () => {
  fc.assert(
    fc.property(body, fc.nat(11), fc.integer({ min: 1, max: 9 }), (text, place, shift) => {
      const number = withCheckDigit(text)
      const wrong = number.slice(0, place) + ((Number(number[place]) + shift) % 10) + number.slice(place + 1)
      expect(passesLuhn(wrong)).toBe(false)
    }),
  )
})

test('two neighbouring digits that are swapped are detected, but for 09 and 90', () => {
  fc.assert(
    fc.property(body, fc.nat(10), (text, place) => {
      const number = withCheckDigit(text)
      const [a = '', b = ''] = [number[place], number[place + 1]]
      fc.pre(a !== b && !['09', '90'].includes(a + b))
      expect(passesLuhn(number.slice(0, place) + b + a + number.slice(place + 2))).toBe(false)
    }),
  )
})

test.each([
  ['4111111111111111', 'visa'],
  ['4000056655665556', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['2223003122003222', 'mastercard'],
  ['378282246310005', 'amex'],
  ['6011111111111117', 'discover'],
  ['3056930009020004', 'diners-club'],
  ['36227206271667', 'diners-club'],
  ['3566002020360505', 'jcb'],
  ['6200000000000005', 'unionpay'],
  ['6759649826438453', 'maestro'],
  ['2200000000000053', 'mir'],
  ['6362970000457013', 'elo'],
  ['6062826786276634', 'hipercard'],
  ['9999999999999995', 'other'],
])('%s is a card of %s', (number, scheme) => {
  expect(passesLuhn(number)).toBe(true)
  expect(schemeOf(number)).toBe(scheme)
})

/** The parts of the world that `readCard` needs: the time, and a keyed hash. */
const worldAt = (time: string) =>
  ({
    clock: { now: () => Date.parse(time) },
    cipher: { mac: (_purpose: string, text: string) => Buffer.from(`mac of ${text.length} digits`) },
  }) as unknown as World

const input = {
  method: 'card' as const,
  number: '4111111111111111',
  expiration_date: '07/30',
  security_code: '123',
}
const problems = (time: string, more: Partial<typeof input> = {}) => {
  try {
    readCard(worldAt(time), 'berlin', { ...input, ...more }, '/payment_method')
    return []
  } catch (error) {
    return error instanceof ApiError ? error.details.map(({ pointer }) => pointer) : [String(error)]
  }
}

test('a card is valid to the end of its month in the last time zone', () => {
  expect(problems('2030-07-31T23:59:59Z')).toEqual([])
  expect(problems('2030-08-01T11:59:59Z')).toEqual([])
  expect(problems('2030-08-01T12:00:00Z')).toEqual(['/payment_method/expiration_date'])
})

test('a card of December is valid to the beginning of January', () => {
  expect(problems('2030-12-31T23:59:59Z', { expiration_date: '12/30' })).toEqual([])
  expect(problems('2031-01-01T12:00:00Z', { expiration_date: '12/30' })).toEqual([
    '/payment_method/expiration_date',
  ])
})

test.each(['00/30', '13/30', '99/99'])('an expiry of %s is refused', (expiration_date) => {
  expect(problems('2020-01-01T00:00:00Z', { expiration_date })).toEqual(['/payment_method/expiration_date'])
})

test('the snapshot of a card has neither its number nor its security code', () => {
  const { snapshot, card } = readCard(worldAt('2030-01-01T00:00:00Z'), 'berlin', input, '/payment_method')
  expect(snapshot).toMatchObject({
    label: '1111',
    bin: '41111111',
    scheme: 'visa',
    expiration_date: '07/30',
    card_type: null,
  })
  expect(JSON.stringify(snapshot)).not.toContain(input.number)
  expect(JSON.stringify(snapshot)).not.toContain('123"')
  expect(card).toEqual({ number: input.number, expirationDate: '07/30', securityCode: '123', scheme: 'visa' })
})

test('the BIN of a number of fewer than 16 digits has six digits', () => {
  expect(
    readCard(worldAt('2030-01-01T00:00:00Z'), 'berlin', { ...input, number: '378282246310005' }, '').snapshot
      .bin,
  ).toBe('378282')
})
