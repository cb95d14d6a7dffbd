import { type ApiError, invalid } from '../../api/errors.ts'
import type { BillingDetails } from '../../buyers/buyer.schema.ts'
import {
  type DelegatedPaymentRow,
  findDelegatedPayment,
  idOfToken,
  problemWithUse,
  tokenOf,
} from '../../checkout/delegated-payments/delegated-payment.store.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { DelegatedPaymentInput } from '../../vault/payment-methods/payment-method-input.schema.ts'
import { type DelegatedSecret, openDelegatedCard } from '../../vault/secrets/delegated-card.ts'
import type { World } from '../../world.ts'
import type { Draft } from './draft.ts'
import type { Tender } from './tender.ts'

/**
 * The delegated payment that a request pays with, and its card. Throws 400 for a payment that it does not
 * allow; the statement that creates the payment checks that again.
 */
export async function readDelegation(
  world: World,
  account: string,
  draft: Draft,
  input: DelegatedPaymentInput,
): Promise<NonNullable<Tender['delegated']> & { card: DelegatedSecret }> {
  const row = await findByToken(world, account, input.token)
  const problem = problemWithUse(world, row, useOf(draft, input))
  if (problem) throw invalid(problem)
  const card = row && (await openDelegatedCard(world, row))
  if (!card) throw invalid({ '/payment_method/token': 'has expired' })
  return {
    card,
    billing: billingOf(card),
    delegation: { id: row.id, checkoutSession: row.checkout_session_id },
    shown: {
      row: row.id,
      id: tokenOf(row.id),
      checkout_session_id: row.checkout_session_id,
      max_amount: row.max_amount,
      currency: row.currency,
      expires_at: timestamp(row.expires_at),
      risk_signals: shownSignals(row),
    },
  }
}

/** The error for a delegated payment that another request has reserved meanwhile, or that has expired. */
export async function closedDelegation(world: World, account: string, draft: Draft): Promise<ApiError> {
  const { payment_method: input } = draft
  if (!input || !('method' in input) || input.method !== 'delegated-payment')
    throw new Error('no delegated payment pays')
  const row = await findByToken(world, account, input.token)
  return invalid(
    problemWithUse(world, row, useOf(draft, input)) ?? {
      '/payment_method/token': 'was given back just now: send the request again',
    },
  )
}

const findByToken = async (
  world: World,
  account: string,
  token: string,
): Promise<DelegatedPaymentRow | undefined> => {
  const id = idOfToken(token)
  return id === undefined ? undefined : findDelegatedPayment(world, account, id)
}

const useOf = ({ amount, currency }: Draft, { checkout_session_id }: DelegatedPaymentInput) => ({
  amount,
  currency,
  checkoutSessionId: checkout_session_id,
})

const shownSignals = ({ risk_signals }: DelegatedPaymentRow) =>
  // the column is written from requests of this shape only
  risk_signals as NonNullable<Tender['delegated']>['shown']['risk_signals']

/** The name is split at its last blank, as the protocol has one name alone. */
function billingOf({ holder, address }: DelegatedSecret): BillingDetails | null {
  const name = address?.name ?? holder
  if (name === null) return null
  const [, first = null, last = name] = /^(.+) (\S+)$/.exec(name.trim()) ?? []
  return {
    ...(first && { first_name: first }),
    last_name: last,
    ...(address && {
      address: {
        line1: address.line1,
        ...(address.line2 && { line2: address.line2 }),
        city: address.city,
        ...(address.state && { state: address.state }),
        country: address.country,
        ...(address.postalCode && { postal_code: address.postalCode }),
      },
    }),
  }
}
