import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectedEci, liabilityShift } from './liability.ts'

const most = ['visa', 'amex', 'jcb', 'discover', 'diners-club', 'unionpay']
const mastercards = ['mastercard', 'maestro']

test.each(most)(
  '%s shifts liability to the issuer for authenticated and attempted payments only',
  (scheme) => {
    const shifting = ['00', '01', '02', '04', '05', '06', '07', '08'].filter(
      (eci) => liabilityShift(scheme, eci) === 'issuer',
    )
    expect(shifting).toEqual(['05', '06'])
  },
)

test.each(mastercards)(
  '%s shifts liability by its own indicators, and not for data only, exemptions and merchant-initiated payments',
  (scheme) => {
    const shifting = ['00', '01', '02', '04', '05', '06', '07', '08'].filter(
      (eci) => liabilityShift(scheme, eci) === 'issuer',
    )
    expect(shifting).toEqual(['01', '02'])
  },
)

test('the merchant is liable without an authentication, and under a scheme whose rules are not known', () => {
  expect(most.concat(mastercards).map((scheme) => liabilityShift(scheme, null))).not.toContain('issuer')
  expect([
    liabilityShift(null, '05'),
    liabilityShift('dankort', '05'),
    liabilityShift('__proto__', '05'),
  ]).toEqual(['merchant', 'merchant', 'merchant'])
})

test('an indicator means the same with and without its leading zero', () => {
  const digit = fc.integer({ min: 0, max: 9 }).map(String)
  fc.assert(
    fc.property(fc.constantFrom(...most, ...mastercards, 'other'), digit, (scheme, eci) => {
      expect(liabilityShift(scheme, eci)).toBe(liabilityShift(scheme, `0${eci}`))
    }),
  )
})

test('the indicator of an authentication shifts the liability exactly when the issuer authenticated or attempted to', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...most, ...mastercards),
      fc.constantFrom('Y', 'A', 'N', 'U', 'R', 'C'),
      (scheme, status) => {
        expect(liabilityShift(scheme, expectedEci(scheme, status))).toBe(
          status === 'Y' || status === 'A' ? 'issuer' : 'merchant',
        )
      },
    ),
  )
  expect([
    expectedEci('visa', 'Y'),
    expectedEci('mastercard', 'Y'),
    expectedEci('mastercard', 'N'),
    expectedEci('visa', 'C'),
    expectedEci(null, 'A'),
  ]).toEqual(['05', '02', '00', null, '06'])
})
