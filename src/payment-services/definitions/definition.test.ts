import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { countries, isCountry } from '../../api/values/country.ts'
import { connectors } from '../../connectors/registry.ts'
import { PaymentServiceDefinition } from './definition.schema.ts'
import { isCurrency, toPaymentServiceDefinition } from './definition.ts'

test('every connector has a definition that the API can show', () => {
  for (const connector of connectors({
    sandboxUrl: 'http://localhost:1',
    clock: { now: () => 0 },
  }).values()) {
    expect(Check(PaymentServiceDefinition, toPaymentServiceDefinition(connector))).toBe(true)
  }
})

test('the countries are the 249 of ISO 3166-1', () => {
  expect(new Set(countries).size).toBe(249)
  expect(['US', 'XK', 'UK', 'AN'].filter(isCountry)).toEqual(['US'])
})

test('the currencies are those of ISO 4217', () => {
  expect(['EUR', 'JPY', 'DEM', 'BTC'].filter(isCurrency)).toEqual(['EUR', 'JPY'])
})
