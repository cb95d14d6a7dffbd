import type { Call, PaymentContext, PurchaseForCall, StoredCredential } from '../contract/call.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import { toPaymentMethod, withoutNulls } from './instrument.ts'
import { toMoney } from './money.ts'
import { holderNameOf, toBrowserInfo, toShopper } from './shopper.ts'

/** The body of a payment request; or why the provider cannot be asked for this payment. */
export type PaymentRequest = { body: Record<string, unknown> } | { refused: ErrorCode; reason: string }

/** An authorization or a sale of a card. */
export async function paymentRequest(call: Call, payment: PaymentContext): Promise<PaymentRequest> {
  const { operation, service } = call
  const amount = toMoney(operation.amount, operation.currency)
  if (!amount) return { refused: 'invalid_amount', reason: 'the provider has no such small unit' }
  const purchase = await payment.purchase()
  const method = toPaymentMethod(payment, service.fields, holderNameOf(purchase))
  if ('refused' in method) return method
  const { paymentMethod, mpiData, shopperReference: storedShopper } = method
  const shopperReference = storedShopper ?? (payment.storesInstrument ? shopperOf(purchase) : undefined)
  return {
    body: {
      amount,
      reference: operation.id,
      merchantOrderReference: purchase.reference,
      returnUrl: purchase.returnUrls.approved,
      paymentMethod,
      ...toShopper(purchase, payment.billingPostalCode),
      ...(shopperReference && { shopperReference }),
      ...credentialMembers(payment),
      ...(mpiData ? { mpiData } : challengeMembers(payment, purchase)),
      ...(purchase.browser && { browserInfo: toBrowserInfo(purchase.browser) }),
      ...(purchase.statementDescriptor && { shopperStatement: purchase.statementDescriptor }),
      ...(operation.kind === 'sale' && { captureDelayHours: 0 }),
      ...optionMembers(payment.options),
      additionalData: additionalData(call, payment),
    },
  }
}

/** A stored card belongs to a shopper: the buyer, or else the transaction that stores it. */
const shopperOf = ({ buyer, transaction }: PurchaseForCall): string => buyer?.id ?? transaction

/** What a merchant stores the card for (`recurringProcessingModel`). */
function modelOf({ initiator, reason }: StoredCredential): string {
  if (reason !== 'card_on_file') return 'Subscription'
  return initiator === 'merchant' ? 'UnscheduledCardOnFile' : 'CardOnFile'
}

function credentialMembers({ storedCredential, storesInstrument }: PaymentContext): Record<string, unknown> {
  const stores = storesInstrument && { storePaymentMethod: true }
  if (!storedCredential)
    return {
      shopperInteraction: 'Ecommerce',
      ...stores,
      ...(storesInstrument && { recurringProcessingModel: 'CardOnFile' }),
    }
  const isWithoutBuyer = storedCredential.initiator === 'merchant'
  return {
    shopperInteraction: isWithoutBuyer || storedCredential.usage === 'subsequent' ? 'ContAuth' : 'Ecommerce',
    recurringProcessingModel: modelOf(storedCredential),
    ...stores,
  }
}

/** How the provider may authenticate the cardholder; nothing if the merchant sends a proof of its own. */
function challengeMembers(
  { canChallenge, storedCredential, options }: PaymentContext,
  { browser }: PurchaseForCall,
): Record<string, unknown> {
  if (storedCredential?.initiator === 'merchant') return {}
  const asked = options['attemptAuthentication']
  const attempt = !canChallenge ? 'never' : asked === 'always' || asked === 'never' ? asked : undefined
  const origin = textOption(options, 'window_origin')
  const isNative = canChallenge && origin !== undefined && browser !== null
  const preference = textOption(options, 'threeDSRequestorChallengeInd')
  return {
    authenticationData: {
      ...(attempt && { attemptAuthentication: attempt }),
      threeDSRequestData: { nativeThreeDS: isNative ? 'preferred' : 'disabled' },
    },
    ...(isNative && { origin }),
    ...(browser && { channel: 'Web' }),
    ...(preference && { threeDS2RequestData: { threeDSRequestorChallengeInd: preference } }),
    // the cardholder's browser comes back with its parameters in the URL
    redirectFromIssuerMethod: 'GET',
    redirectToIssuerMethod: 'GET',
  }
}

const textOption = (options: Readonly<Record<string, unknown>>, name: string): string | undefined =>
  typeof options[name] === 'string' && options[name] !== '' ? options[name] : undefined

/** The connection options that are members of the request. */
const optionNames = ['accountInfo', 'merchantRiskIndicator', 'riskData'] as const

function optionMembers(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const splits = options['splits']
  const split =
    typeof splits === 'object' && splits !== null && 'authorization' in splits ? splits.authorization : null
  return withoutNulls({
    ...Object.fromEntries(optionNames.map((name) => [name, options[name]])),
    ...(Array.isArray(split) && split.length > 0 && { splits: split }),
  })
}

/** The members of `additionalData` that Railyard decides; a merchant's own never replace them. */
function additionalData(
  { operation, service: { fields } }: Call,
  { options, storedCredential, instrument, allowPartialAuthorization }: PaymentContext,
): Record<string, string> {
  const own = options['additionalData']
  const agreement =
    instrument.serviceToken === undefined && storedCredential?.usage === 'subsequent'
      ? storedCredential.schemeTransactionId
      : null
  const rescue = options['autoRescue'] === true
  return {
    ...(typeof own === 'object' && own !== null && textMembers(own)),
    ...(rescue && { autoRescue: 'true' }),
    ...(rescue &&
      typeof options['maxDaysToRescue'] === 'number' && { maxDaysToRescue: `${options['maxDaysToRescue']}` }),
    ...(rescue &&
      typeof options['autoRescueScenario'] === 'string' && {
        autoRescueScenario: options['autoRescueScenario'],
      }),
    // without it the provider captures each authorization by itself
    manualCapture: operation.kind === 'authorize' && operation.amount > 0 ? 'true' : 'false',
    ...(operation.kind === 'authorize' &&
      fields['authorization_type'] === 'pre' && { authorisationType: 'PreAuth' }),
    ...(agreement && { networkTxReference: agreement }),
    ...(allowPartialAuthorization && { allowPartialAuth: 'true' }),
  }
}

const textMembers = (members: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  )
