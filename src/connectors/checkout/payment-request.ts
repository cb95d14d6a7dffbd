import type { AuthenticationProof } from '../contract/authentication-proof.ts'
import type { Call, PaymentContext, PurchaseForCall, StoredCredential } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { truncate } from '../wire/provider-text.ts'
import { toCheckoutAmount } from './amount.ts'
import { holderNameOf, toBillingAddress, toCustomer, toShipping } from './buyer.ts'
import { toSource } from './instrument.ts'

/** The body of a payment request; or why Checkout.com cannot be asked for this payment. */
export type PaymentRequest = { body: Record<string, unknown> } | { refused: ErrorCode; reason: string }

/** An authorization or a sale; an amount of 0 verifies the card. */
export async function paymentRequest(call: Call, payment: PaymentContext): Promise<PaymentRequest> {
  const { operation, service } = call
  const amount = toCheckoutAmount(operation.amount, operation.currency)
  if (amount === undefined)
    return { refused: 'invalid_amount', reason: 'the provider does not take this amount' }
  const purchase = await payment.purchase()
  const read = toSource(payment, service.fields, holderNameOf(purchase))
  if ('refused' in read) return read
  const billing = toBillingAddress(purchase, payment.billingPostalCode)
  const threeDSecure = threeDSecureMembers(call, payment)
  return {
    body: {
      source: { ...read.source, ...(billing && { billing_address: billing }) },
      amount,
      currency: operation.currency,
      capture: operation.kind === 'sale',
      reference: operation.id,
      ...credentialMembers(payment.storedCredential),
      ...(payment.allowPartialAuthorization && { partial_authorization: { enabled: true } }),
      ...accountMembers(call, purchase),
      ...purchaseMembers(purchase),
      ...(threeDSecure && {
        '3ds': threeDSecure,
        success_url: purchase.returnUrls.approved,
        failure_url: purchase.returnUrls.failed,
      }),
    },
  }
}

/** What the merchant's account at Checkout.com wants. */
function accountMembers(
  { operation, service: { fields } }: Call,
  { statementDescriptor }: PurchaseForCall,
): Record<string, unknown> {
  const channel = fields['processing_channel_id']
  const city = fields['descriptor_city']
  const isEstimated = fields['authorization_type'] === 'estimated' && operation.kind === 'authorize'
  return {
    ...(channel && { processing_channel_id: channel }),
    ...(isEstimated && operation.amount > 0 && { authorization_type: 'Estimated' }),
    ...(statementDescriptor && {
      billing_descriptor: {
        name: truncate(statementDescriptor, 25),
        ...(city && { city: truncate(city, 13) }),
      },
    }),
  }
}

function purchaseMembers(purchase: PurchaseForCall): Record<string, unknown> {
  const customer = toCustomer(purchase)
  const shipping = toShipping(purchase)
  return {
    ...(purchase.description && { description: truncate(purchase.description, 100) }),
    ...(customer && { customer }),
    ...(shipping && { shipping }),
    ...(purchase.browser?.ip_address && { payment_ip: purchase.browser.ip_address }),
    metadata: { transaction: purchase.transaction, order: purchase.reference },
  }
}

/** What a merchant may charge a stored card for without its holder. */
const paymentTypes = {
  card_on_file: 'Unscheduled',
  installment: 'Installment',
  recurring: 'Recurring',
} as const

/** The holder of a card on file pays as usual; Checkout.com takes `Unscheduled` of merchants only. */
function credentialMembers(stored: StoredCredential | undefined): Record<string, unknown> {
  if (!stored) return { payment_type: 'Regular' }
  const { initiator, reason, usage, schemeTransactionId } = stored
  const isMerchant = initiator === 'merchant'
  return {
    payment_type: reason === 'card_on_file' && !isMerchant ? 'Regular' : paymentTypes[reason],
    merchant_initiated: isMerchant,
    ...(usage === 'subsequent' && schemeTransactionId && { previous_payment_id: schemeTransactionId }),
  }
}

/**
 * 3-D Secure: the merchant's or Railyard's own proof, or a challenge by Checkout.com. Undefined: the cardholder
 * is not there.
 */
function threeDSecureMembers(
  { service: { fields } }: Call,
  { authentication, canChallenge, storedCredential }: PaymentContext,
): Record<string, unknown> | undefined {
  if (storedCredential?.initiator === 'merchant') return undefined
  if (authentication) return proofMembers(authentication)
  if (!canChallenge) return { enabled: false, allow_upgrade: false }
  // without a challenge at first, Checkout.com asks for one if the issuer demands it
  return { enabled: fields['three_d_secure'] !== 'when_required', attempt_n3d: true, allow_upgrade: true }
}

const proofMembers = (proof: AuthenticationProof): Record<string, unknown> => ({
  enabled: true,
  attempt_n3d: true,
  version: proof.version,
  status: proof.authentication_response ?? proof.directory_response,
  ...(proof.eci && { eci: proof.eci }),
  ...(proof.cavv && { cryptogram: proof.cavv }),
  ...(proof.directory_transaction_id && { xid: proof.directory_transaction_id }),
  ...(proof.transaction_reason && { status_reason_code: proof.transaction_reason }),
  ...(proof.cavv_algorithm && { cryptogram_algorithm: proof.cavv_algorithm }),
})
