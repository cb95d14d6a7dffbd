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

test('a definition names the features that work only with the simulator', () => {
  const all = connectors({ sandboxUrl: 'http://localhost:1', clock: { now: () => 0 } })
  const shown = [...all.values()].map(toPaymentServiceDefinition)
  const inSandboxOnly = shown.filter(({ id }) => id.startsWith('mock-'))
  expect(inSandboxOnly.length).toBeGreaterThan(50)
  for (const { simulated_features: simulated, supported_features: supported } of inSandboxOnly)
    expect(simulated).toEqual(
      Object.keys(supported)
        .filter((feature) => supported[feature])
        .sort(),
    )
  expect(shown.find(({ id }) => id === 'wallet-wallet')?.simulated_features).toEqual([])
})

test('the countries are the 249 of ISO 3166-1', () => {
  expect(new Set(countries).size).toBe(249)
  expect(['US', 'XK', 'UK', 'AN'].filter(isCountry)).toEqual(['US'])
})

test('the currencies are those of ISO 4217', () => {
  expect(['EUR', 'JPY', 'DEM', 'BTC'].filter(isCurrency)).toEqual(['EUR', 'JPY'])
})
