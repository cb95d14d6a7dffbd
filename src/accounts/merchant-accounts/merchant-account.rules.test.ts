import { expect, test } from 'vitest'
import { accountSettingsProblems, applySettingsUpdate, newAccountSettings } from './merchant-account.ts'

const loon = { loon_client_key: 'c', loon_secret_key: 's', loon_accepted_schemes: ['visa' as const], loon_merchant_account_id: 'm' }

test('a new account breaks no rule', () => {
  expect(accountSettingsProblems(newAccountSettings)).toEqual({})
  expect(accountSettingsProblems(applySettingsUpdate(newAccountSettings, { ...loon, display_name: 'Shop' }))).toEqual({})
})

test('what belongs together is told by the members that are missing', () => {
  const broken = accountSettingsProblems(applySettingsUpdate(newAccountSettings, { loon_client_key: 'c', visa_network_tokens_app_id: 'a' }))
  expect(Object.keys(broken).sort()).toEqual([
    '/loon_accepted_schemes',
    '/loon_merchant_account_id',
    '/loon_secret_key',
    '/visa_network_tokens_requestor_id',
  ])
})

test('two schemes do not share an identifier, but the two of one scheme may be the same', () => {
  const visa = { visa_network_tokens_requestor_id: 'x', visa_network_tokens_app_id: 'x' }
  expect(accountSettingsProblems(applySettingsUpdate(newAccountSettings, visa))).toEqual({})
  const both = { ...visa, mastercard_network_tokens_requestor_id: 'y', mastercard_network_tokens_app_id: 'x' }
  expect(Object.keys(accountSettingsProblems(applySettingsUpdate(newAccountSettings, both)))).toEqual(['/mastercard_network_tokens_app_id'])
})

test('an empty identifier is none', () => {
  expect(applySettingsUpdate(newAccountSettings, { visa_network_tokens_app_id: '' }).visa_network_tokens_app_id).toBeNull()
})

test('the mask leaves a secret as it is and is an ordinary value elsewhere', () => {
  const settings = applySettingsUpdate(newAccountSettings, loon)
  const after = applySettingsUpdate(settings, { loon_secret_key: '********', loon_client_key: '********' })
  expect(after).toMatchObject({ loon_secret_key: 's', loon_client_key: '********' })
})
