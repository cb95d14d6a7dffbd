import { isIP } from 'node:net'
import { countryProblem } from '../../api/values/country.ts'
import { isRedirectUrl } from '../../outgoing/url-problem.ts'
import type { TransactionCreate } from '../../transactions/transaction.schema.ts'
import type { World } from '../../world.ts'
import type { AgenticSellerRow } from '../sellers/seller.store.ts'
import type { AgenticCheckoutRow } from './checkout.store.ts'
import { CheckoutRefusal } from './checkout-errors.ts'
import type { AgenticCheckoutComplete, AuthenticationResult, PaymentData } from './checkout-request.schema.ts'

const TOKEN_PATH = '$.payment_data.instrument.credential.token'

/** The error for a token that does not pay this checkout. */
export const tokenRefused = (problem: string) =>
  new CheckoutRefusal({
    status: 422,
    code: 'invalid_payment_data',
    message: `The token ${problem}`,
    param: TOKEN_PATH,
  })

/** The delegated token that pays. Throws 422 for anything else: Railyard pays with cards that a platform delegates. */
export function tokenOfPayment({ instrument }: PaymentData): string {
  if (!instrument)
    throw new CheckoutRefusal({
      status: 422,
      code: 'unsupported',
      message: 'Checkout sessions are paid with a delegated card: send handler_id and instrument',
      param: '$.payment_data.instrument',
    })
  return instrument.credential.token
}

const refusedOutcomes: readonly AuthenticationResult['outcome'][] = [
  'abandoned',
  'canceled',
  'denied',
  'rejected',
]

/** By outcome, what the directory server has said (EMV 3-D Secure, transStatus); absent: it has proven nothing. */
const directoryResponses: Partial<Record<AuthenticationResult['outcome'], string>> = {
  authenticated: 'Y',
  attempt_acknowledged: 'A',
  informational: 'I',
}

/** The platform's proof of 3-D Secure, if it has one. Throws 422 if the cardholder or the issuer has refused. */
function threeDSecureOf(
  result: AuthenticationResult | undefined,
): Pick<TransactionCreate, 'three_d_secure_data'> {
  if (!result) return {}
  const { outcome, outcome_details: proof } = result
  if (refusedOutcomes.includes(outcome))
    throw new CheckoutRefusal({
      status: 422,
      code: 'authentication_failed',
      message: 'The cardholder was not authenticated',
      param: '$.authentication_result.outcome',
    })
  const directory_response = directoryResponses[outcome]
  if (directory_response === undefined) return {}
  if (!proof)
    throw new CheckoutRefusal({
      status: 422,
      code: 'missing',
      message: `outcome_details is required with the outcome ${outcome}`,
      param: '$.authentication_result.outcome_details',
    })
  return {
    three_d_secure_data: {
      cavv: proof.three_ds_cryptogram,
      eci: proof.electronic_commerce_indicator,
      version: proof.version,
      directory_response,
      directory_transaction_id: proof.transaction_id,
    },
  }
}

/** The payment of a checkout, as the body of `POST /transactions` would have it. */
export function paymentInput(
  { settings }: Pick<World, 'settings'>,
  { intent }: AgenticSellerRow,
  { id, amount, currency, order, request }: AgenticCheckoutRow,
  body: AgenticCheckoutComplete,
): TransactionCreate {
  const country = request.fulfillment_details?.address?.country
  return {
    amount,
    currency,
    intent,
    ...(country !== undefined && countryProblem(country) === null && { country }),
    payment_method: {
      method: 'delegated-payment',
      token: tokenOfPayment(body.payment_data),
      checkout_session_id: id,
      ...(order &&
        isRedirectUrl(order.permalink_url, settings.environment) && { redirect_url: order.permalink_url }),
    },
    ...buyerOf(request, body.payment_data),
    ...(order && { external_identifier: order.id }),
    ...threeDSecureOf(body.authentication_result),
  }
}

/**
 * The buyer's name and, where the platform sends one, the billing address with it; without one, the token's
 * applies. A `customer_id` names no stored buyer: a platform must not choose among the merchant's.
 */
function buyerOf(
  { buyer }: AgenticCheckoutRow['request'],
  { billing_address: address }: PaymentData,
): Pick<TransactionCreate, 'buyer'> {
  const name = buyer?.full_name ?? [buyer?.first_name, buyer?.last_name].filter(Boolean).join(' ')
  if (!name && !address) return {}
  return {
    buyer: {
      ...(name && { display_name: name.slice(0, 200) }),
      ...(address && {
        billing_details: {
          ...(buyer?.first_name !== undefined && { first_name: buyer.first_name }),
          last_name: buyer?.last_name ?? address.name,
          ...(buyer && { email_address: buyer.email }),
          address: {
            line1: address.line_one,
            ...(address.line_two && { line2: address.line_two }),
            city: address.city,
            ...(address.state && { state: address.state }),
            country: address.country,
            postal_code: address.postal_code,
          },
        },
      }),
    },
  }
}

/** The buyer's IP address; null: the platform has sent none. */
export const ipAddressOf = ({ risk_signals: signals }: AgenticCheckoutComplete): string | null =>
  signals?.ip_address !== undefined && isIP(signals.ip_address) > 0 ? signals.ip_address : null
