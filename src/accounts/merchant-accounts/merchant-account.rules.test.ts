import { expect, test } from 'vitest'
import { accountSettingsProblems, applySettingsUpdate, newAccountSettings } from './merchant-account.ts'

const loon = {
  loon_client_key: 'c',
  loon_secret_key: 's',
  loon_accepted_schemes: ['visa' as const],
  loon_merchant_account_id: 'm',
}

test('a new account breaks no rule', () => {
  expect(accountSettingsProblems(newAccountSettings)).toEqual({})
  expect(
    accountSettingsProblems(applySettingsUpdate(newAccountSettings, { ...loon, display_name: 'Shop' })),
  ).toEqual({})
})

test('settings that belong together are a problem of each one that is missing', () => {
  const problems = accountSettingsProblems(
    applySettingsUpdate(newAccountSettings, { loon_client_key: 'c', visa_network_tokens_app_id: 'a' }),
  )
  expect(Object.keys(problems).sort()).toEqual([
    '/loon_accepted_schemes',
    '/loon_merchant_account_id',
    '/loon_secret_key',
    '/visa_network_tokens_requestor_id',
  ])
})

test('two schemes may not share an identifier, and the two of one scheme may be the same', () => {
  const visa = { visa_network_tokens_requestor_id: 'x', visa_network_tokens_app_id: 'x' }
  expect(accountSettingsProblems(applySettingsUpdate(newAccountSettings, visa))).toEqual({})
  const both = { ...visa, mastercard_network_tokens_requestor_id: 'y', mastercard_network_tokens_app_id: 'x' }
  expect(Object.keys(accountSettingsProblems(applySettingsUpdate(newAccountSettings, both)))).toEqual([
    '/mastercard_network_tokens_app_id',
  ])
})

test('an empty identifier counts as not set', () => {
  expect(
    applySettingsUpdate(newAccountSettings, { visa_network_tokens_app_id: '' }).visa_network_tokens_app_id,
  ).toBeNull()
})

test('the mask leaves a secret as it is, and is an ordinary value in any other setting', () => {
  const settings = applySettingsUpdate(newAccountSettings, loon)
  const after = applySettingsUpdate(settings, { loon_secret_key: '********', loon_client_key: '********' })
  expect(after).toMatchObject({ loon_secret_key: 's', loon_client_key: '********' })
})
