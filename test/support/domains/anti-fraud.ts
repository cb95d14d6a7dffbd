import { expect } from 'vitest'
import { signedReview } from '../../../src/sandbox/providers/anti-fraud/review.ts'
import type { Answer, Client, TestRailyard } from '../railyard.ts'

export const mockAntiFraudService = (more: object = {}) => ({
  anti_fraud_service_definition_id: 'mock-anti-fraud',
  display_name: 'Fraud checks',
  fields: [{ key: 'api_key', value: 'any' }],
  ...more,
})

/** An anti-fraud service of a merchant, and how it tells what was decided of a payment that it holds. */
export interface ScreeningServiceOfTest {
  id: string
  webhookUrl: string
  decides(transaction: string, decision: unknown, more?: object): Promise<Answer>
}

export async function addAntiFraudService(
  railyard: TestRailyard,
  { account }: Client,
  more: object = {},
): Promise<ScreeningServiceOfTest> {
  const answer = await railyard.admin.post('/anti-fraud-services', mockAntiFraudService(more), {
    'x-svc-merchant-account-id': account,
  })
  expect(answer).toMatchObject({ status: 201 })
  const { id, webhook_url } = answer.body
  return {
    id,
    webhookUrl: webhook_url,
    decides: (transaction_id, decision, body = {}) =>
      sendReviewDecision(railyard, webhook_url, { transaction_id, decision, ...body }),
  }
}

/** POSTs to a webhook URL, signed with the API key, as an anti-fraud service does. */
export function sendReviewDecision(
  railyard: TestRailyard,
  url: string,
  said: unknown,
  apiKey = 'any',
): Promise<Answer> {
  const { headers, text: body } = signedReview(apiKey, said)
  return railyard.send('POST', new URL(url).pathname, { headers, body })
}

/** The buyer whose e-mail address makes the sandbox's service decide so (semantics §6.3). */
export const buyerScreenedAs = (verdict: string) => ({
  display_name: 'B',
  billing_details: { email_address: `${verdict}@example.com` },
})
