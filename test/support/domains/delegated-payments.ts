import { randomUUID } from 'node:crypto'
import { type Contract, contract } from '../../contracts/contract.ts'
import type { Answer, Client, TestRailyard } from '../railyard.ts'

type Body = Record<string, unknown>

export const delegatePaymentPath = '/agentic_commerce/delegate_payment'

/** What a platform sends, with changes to the members of its parts. */
export interface Delegation {
  payment_method?: Body
  allowance?: Body
  more?: Body
}

/** A platform that delegates its buyers' cards to a merchant's Railyard. */
export interface Platform {
  contract: Contract
  /** Sends the request and checks the answer against the protocol's document. */
  delegate(delegation?: Delegation, headers?: Record<string, string>): Promise<Answer>
  /** The token of a new delegated payment. */
  token(delegation?: Delegation): Promise<string>
  bodyOf(delegation?: Delegation): Body
}

/** A delegation of 20.00 EUR to a merchant account, for an hour from `now`. */
export const delegationOf = (
  account: string,
  now: number,
  { payment_method, allowance, more }: Delegation = {},
): Body => ({
  payment_method: {
    type: 'card',
    card_number_type: 'fpan',
    number: '4111111111111111',
    exp_month: '12',
    exp_year: '2035',
    cvc: '123',
    name: 'Jane Doe',
    display_card_funding_type: 'credit',
    metadata: {},
    ...payment_method,
  },
  allowance: {
    reason: 'one_time',
    max_amount: 20_00,
    currency: 'eur',
    checkout_session_id: 'csn_1',
    merchant_id: account,
    expires_at: new Date(now + 3_600_000).toISOString(),
    ...allowance,
  },
  risk_signals: [{ type: 'card_testing', score: 10, action: 'manual_review' }],
  metadata: { campaign: 'q4' },
  ...more,
})

export function openPlatform(railyard: TestRailyard, merchant: Client): Platform {
  const checks = contract('acp-delegate-payment')
  const bodyOf: Platform['bodyOf'] = (delegation) =>
    delegationOf(merchant.account, railyard.clock.now(), delegation)
  const delegate: Platform['delegate'] = async (delegation, headers = {}) => {
    const answer = await merchant.post(delegatePaymentPath, bodyOf(delegation), {
      'api-version': '2026-04-17',
      'idempotency-key': randomUUID(),
      ...headers,
    })
    const violations = checks.response({
      method: 'POST',
      path: delegatePaymentPath,
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: answer.body,
    })
    if (violations.length > 0)
      throw new Error(`${answer.status} ${JSON.stringify(answer.body)}: ${violations.join('; ')}`)
    return answer
  }
  return {
    contract: checks,
    bodyOf,
    delegate,
    token: async (delegation) => (await delegate(delegation)).body.id,
  }
}
