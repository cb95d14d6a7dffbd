import { expect, test } from 'vitest'
import { withFields } from '../configured-services/fields.ts'
import type { Definition } from '../connectors/contract/connector.ts'
import type { PaymentServiceUpdate } from './payment-service.schema.ts'
import { applyUpdate, newServiceSettings, settingsProblems } from './payment-service.ts'

const field = (key: string, required: boolean, secret: boolean) => ({
  key,
  displayName: key,
  required,
  secret,
  format: 'text' as const,
})

const definition: Definition = {
  id: 'some-card',
  displayName: 'Some card',
  method: 'card',
  mode: 'card',
  fields: [field('merchant', true, false), field('key', true, true), field('note', false, false)],
  currencies: ['EUR', 'USD'],
  countries: [],
  features: { network_tokens: true, payment_method_tokenization: true },
  integrationClients: ['redirect'],
  browserOptions: [],
}
const valid: PaymentServiceUpdate = {
  display_name: 'Cards',
  accepted_currencies: ['EUR'],
  accepted_countries: ['DE'],
  fields: [
    { key: 'merchant', value: 'm' },
    { key: 'key', value: 'k' },
  ],
}
const now = '2026-01-01T00:00:00.000Z'
const problems = (update: PaymentServiceUpdate) => {
  const input = { ...valid, ...update }
  return Object.keys(
    settingsProblems(definition, input, applyUpdate(newServiceSettings(definition), input, now)),
  )
}

test('a service that keeps the rules has no problems', () => {
  expect(problems({})).toEqual([])
})

test('an unknown, repeated or missing field is reported at its place in the request', () => {
  const fields = ['merchant', 'merchant', 'colour'].map((key) => ({ key, value: 'x' }))
  expect(problems({ fields })).toEqual(['/fields/1/key', '/fields/2/key', '/fields'])
})

test('a required field cannot be emptied, an optional one can', () => {
  const settings = applyUpdate(
    newServiceSettings(definition),
    { ...valid, fields: [...(valid.fields ?? []), { key: 'note', value: 'n' }] },
    now,
  )
  const update = { fields: ['note', 'key'].map((key) => ({ key, value: '' })) }
  expect(Object.keys(settingsProblems(definition, update, applyUpdate(settings, update, now)))).toEqual([
    '/fields/1/value',
  ])
})

test('fields are replaced by their key and the others stay', () => {
  expect(withFields({ a: '1', b: '2' }, [{ key: 'b', value: '3' }])).toEqual({ a: '1', b: '3' })
  expect(withFields({ a: '1', b: '2' }, [{ key: 'b', value: '' }])).toEqual({ a: '1' })
})

test('currencies and countries must exist and be supported', () => {
  expect(problems({ accepted_currencies: ['EUR', 'GBP', 'ZZZ'], accepted_countries: ['DE', 'XX'] })).toEqual([
    '/accepted_currencies/1',
    '/accepted_currencies/2',
    '/accepted_countries/1',
  ])
})

test('a feature that the payment service lacks cannot be switched on', () => {
  expect(problems({ three_d_secure_enabled: true, settlement_reporting_enabled: true })).toEqual([
    '/three_d_secure_enabled',
    '/settlement_reporting_enabled',
  ])
})

test('network tokens need an open loop, and tokenization a closed one', () => {
  expect(problems({ network_tokens_enabled: true })).toEqual(['/network_tokens_enabled'])
  expect(problems({ network_tokens_enabled: true, open_loop: true })).toEqual([])
  expect(problems({ payment_method_tokenization_enabled: true, open_loop: true })).toEqual([
    '/payment_method_tokenization_enabled',
  ])
  expect(problems({ payment_method_tokenization_enabled: true })).toEqual([])
})

test('a merchant profile of an unknown scheme and a position that does not fit its column are refused', () => {
  expect(problems({ merchant_profile: { visa: null, 'gold/card': null } })).toEqual([
    '/merchant_profile/gold~1card',
  ])
  expect(problems({ position: 2_000_000_000 })).toEqual(['/position'])
})

test('null leaves a setting as it is, but clears the merchant profile', () => {
  const settings = { ...newServiceSettings(definition), active: false, merchant_profile: { visa: null } }
  expect(applyUpdate(settings, { active: null, merchant_profile: null }, now)).toMatchObject({
    active: false,
    merchant_profile: null,
  })
  expect(applyUpdate(settings, {}, now)).toMatchObject({ active: false, merchant_profile: { visa: null } })
})

test('a replaced profile keeps the time at which its scheme got the first one', () => {
  const profile = {
    merchant_acquirer_bin: '400000',
    merchant_acquirer_id: 'a',
    merchant_name: 'Shop',
    merchant_country_code: 'DE',
    merchant_category_code: '5411',
    merchant_url: 'https://shop.example',
  }
  const first = applyUpdate(newServiceSettings(definition), { merchant_profile: { visa: profile } }, now)
  const second = applyUpdate(
    first,
    { merchant_profile: { visa: { ...profile, merchant_name: 'Store' }, amex: profile } },
    '2026-02-02T00:00:00.000Z',
  )
  expect(second.merchant_profile).toMatchObject({
    visa: { merchant_name: 'Store', created_at: now },
    amex: { created_at: '2026-02-02T00:00:00.000Z' },
  })
})
