import type { AuthenticationProof } from '../../contract/authentication-proof.ts'
import type { Call, PaymentContext, StoredCredential } from '../../contract/call.ts'
import { operationMetadata } from '../metadata.ts'
import { type Body, readConnectOptions } from '../wire.ts'
import { descriptorOf, shippingOf } from './buyer.ts'
import type { Paying } from './instrument.ts'

/** The intent of a card payment, before it is confirmed. `amount`: as Stripe counts it. */
export async function cardIntent(
  { operation }: Call,
  payment: PaymentContext,
  amount: number,
  customer: string | undefined,
): Promise<Body> {
  const purchase = await payment.purchase()
  return {
    amount,
    currency: operation.currency.toLowerCase(),
    allowed_payment_method_types: ['card'],
    capture_method: operation.kind === 'authorize' ? 'manual' : 'automatic',
    customer,
    description: purchase.description,
    metadata: {
      ...operationMetadata(operation),
      transaction: purchase.transaction,
      reference: purchase.reference,
    },
    shipping: shippingOf(purchase),
    statement_descriptor_suffix: descriptorOf(purchase),
    ...(payment.storesInstrument && customer !== undefined && { setup_future_usage: 'off_session' }),
    ...readConnectOptions(payment.options).body,
  }
}

/** The SetupIntent of a payment of zero, which checks a card and may store it. */
export async function cardSetup(
  { operation }: Call,
  payment: PaymentContext,
  customer: string | undefined,
): Promise<Body> {
  const { transaction, reference, description } = await payment.purchase()
  return {
    allowed_payment_method_types: ['card'],
    customer,
    description,
    usage: payment.storesInstrument ? 'off_session' : 'on_session',
    metadata: { ...operationMetadata(operation), transaction, reference },
  }
}

/** The request that charges the card. */
export async function cardConfirmation(call: Call, payment: PaymentContext, paying: Paying): Promise<Body> {
  const { storedCredential: stored } = payment
  const isMerchant = stored?.initiator === 'merchant'
  const challenges = mayChallenge(payment)
  return {
    ...paying.confirm,
    expand: ['latest_charge'],
    // Stripe takes no page to return to from a payment without the buyer
    ...(isMerchant ? { off_session: true } : { return_url: (await payment.purchase()).returnUrls.approved }),
    ...(!isMerchant && !challenges && { error_on_requires_action: true }),
    payment_method_options: {
      card: {
        ...(call.operation.kind === 'authorize' && laterAmounts),
        ...(payment.authentication && { three_d_secure: threeDSecure(payment.authentication) }),
        ...(stored && credentialUsage(stored)),
      },
    },
  }
}

export const setupConfirmation = async (payment: PaymentContext, paying: Paying): Promise<Body> => ({
  ...paying.confirm,
  expand: ['payment_method'],
  return_url: (await payment.purchase()).returnUrls.approved,
})

/** False: a challenge that Stripe demands is a refusal. */
export const mayChallenge = ({ canChallenge, options }: PaymentContext): boolean =>
  canChallenge && options['error_on_requires_action'] !== true

/** What Stripe offers of later changes to an authorization, wherever the card's network allows it. */
const laterAmounts = {
  request_incremental_authorization: 'if_available',
  request_multicapture: 'if_available',
  request_overcapture: 'if_available',
}

const versions = ['1.0.2', '2.1.0', '2.2.0', '2.3.0', '2.3.1']

/** Merchants may shorten a version, such as `2.2`. Undefined: Stripe does not take it. */
const versionOf = ({ version }: AuthenticationProof): string | undefined =>
  versions.find((each) => `${each}.`.startsWith(`${version}.`))

/**
 * Whether Stripe takes an authentication that was made elsewhere. Without its proof Stripe would charge the card
 * as if its holder had not been authenticated, so that the merchant would answer for fraud.
 */
export const takesAuthentication = (proof: AuthenticationProof): boolean =>
  !proof.cavv || (Boolean(proof.directory_transaction_id) && versionOf(proof) !== undefined)

const indicators = new Set(['01', '02', '05', '06', '07'])

/** An authentication made elsewhere; undefined: it has no proof that Stripe takes. */
function threeDSecure(proof: AuthenticationProof): Body | undefined {
  const { cavv, directory_transaction_id: id, eci } = proof
  const version = versionOf(proof)
  if (!cavv || !id || version === undefined) return undefined
  return {
    version,
    cryptogram: cavv,
    transaction_id: id,
    electronic_commerce_indicator: eci && indicators.has(eci) ? eci : undefined,
    ares_trans_status: proof.directory_response,
  }
}

const usages = { card_on_file: 'unscheduled', recurring: 'recurring', installment: 'installment' } as const

/** What the stored card is for: agreed in this payment, or used by the merchant in this one. */
function credentialUsage({ initiator, usage, reason }: StoredCredential): Body {
  if (usage === 'first') return { setup_credential_usage: usages[reason] }
  return initiator === 'merchant' ? { stored_credential_usage: usages[reason] } : {}
}
