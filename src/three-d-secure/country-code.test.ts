import { expect, test } from 'vitest'
import { countries } from '../api/values/country.ts'
import { isNumericCountry, numericCountry } from './country-code.ts'

test('every country has its own numeric code, the same as in Unicode’s data', () => {
  const numeric = countries.map((country) => numericCountry(country) ?? '')
  expect(new Set(numeric).size).toBe(249)
  expect(numeric.map((code) => new Intl.Locale(`und-${code}`).region)).toEqual(countries)
  expect(numeric.every(isNumericCountry)).toBe(true)
})

test('withdrawn codes, alpha-2 codes and numbers without their zeros are no numeric codes', () => {
  expect(['280', '891', '736', '810', 'US', '32', '000', '', '0840'].filter(isNumericCountry)).toEqual([])
  expect([numericCountry('US'), numericCountry('us'), numericCountry('XX')]).toEqual([
    '840',
    undefined,
    undefined,
  ])
})
