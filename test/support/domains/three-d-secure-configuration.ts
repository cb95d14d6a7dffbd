import { expect } from 'vitest'
import type { Client, TestRailyard } from '../railyard.ts'

type Body = Record<string, unknown>

/** The body of a 3DS configuration for Visa, in any currency and for every transaction. */
export const threeDSConfiguration = (more: Body = {}): Body => ({
  scheme: 'visa',
  metadata: {},
  merchant_acquirer_bin: '516327',
  merchant_acquirer_id: '123456789012345',
  merchant_name: 'Shop',
  merchant_country_code: '840',
  merchant_category_code: '5045',
  merchant_url: 'https://shop.example',
  ...more,
})

/** Configures 3-D Secure for a merchant, and answers the configuration. */
export async function configureThreeDS({ admin }: TestRailyard, { account }: Client, more: Body = {}) {
  const answer = await admin.post(
    `/merchant-accounts/${account}/three-ds-configurations`,
    threeDSConfiguration(more),
  )
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

/** The body of a scenario: a payment that fulfils the conditions gets this outcome. */
export const scenarioOf = (conditions: Body, authentication = 'Y', result?: string): Body => ({
  conditions,
  outcome: {
    authentication: { transaction_status: authentication },
    ...(result && { result: { transaction_status: result } }),
  },
})
