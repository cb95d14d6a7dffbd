import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import codes from '../../contracts/codes/adyen.json' with { type: 'json' }
import { type FakeBooks, type FakePayment, MERCHANT, type Money } from './fake-books.ts'
import { refusalTexts } from './refusal-texts.ts'

export type Body = Readonly<Record<string, unknown>>

export const serviceError = (
  status: number,
  errorCode: string,
  message: string,
  errorType: string,
): FakeAnswer => ({
  status,
  body: { status, errorCode, message, errorType },
})

/** The test card whose issuer challenges. */
export const CHALLENGED_CARD = '4212345678910006'

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const members = (value: unknown): Body => (typeof value === 'object' && value !== null ? { ...value } : {})

/** The name of the cardholder asks for a refusal, too: its code in capital letters. */
const codesByName = new Map([
  ['DECLINED', '2'],
  ...Object.entries(refusalTexts).map(
    ([code, reason]) => [reason.toUpperCase().replaceAll(/\W+/g, '_'), code] as const,
  ),
])

/** The refusal that a test asks for, as the provider's test system does. */
function refusalOf(body: Body): FakePayment['refusal'] {
  const code =
    text(members(body['additionalData'])['RequestedTestAcquirerResponseCode']) ||
    codesByName.get(text(members(body['paymentMethod'])['holderName'])) ||
    ''
  const known = codes.refusalReasonCode.find((each) => each.code === code && each.error_code !== null)
  return known ? { code, reason: refusalTexts[code] ?? 'Refused' } : null
}

/** Whether the issuer challenges: the test asks for it, and the request does not forbid it. */
const isChallenged = (body: Body): boolean =>
  (text(members(body['additionalData'])['test.challenge']) === 'true' ||
    text(members(body['paymentMethod'])['encryptedCardNumber']) === `test_${CHALLENGED_CARD}`) &&
  !body['mpiData']

export function openPayment(books: FakeBooks, body: Body): FakePayment {
  const data = members(body['additionalData'])
  const shopper = text(body['shopperReference'])
  const payment: FakePayment = {
    psp: books.nextPsp(),
    reference: text(body['reference']),
    money: members(body['amount']) as unknown as Money,
    captured: 0,
    refunded: 0,
    cancelled: false,
    challenged: false,
    refusal: refusalOf(body),
    capturesAtOnce: data['manualCapture'] !== 'true',
    storedAs: body['storePaymentMethod'] === true && shopper ? { shopper, token: 'M5N7TQ4TG5PFWR50' } : null,
  }
  const isPartly = data['allowPartialAuth'] === 'true' && data['test.partial'] === 'true'
  if (isPartly) payment.money = { ...payment.money, value: Math.floor(payment.money.value / 2) }
  books.payments.set(payment.psp, payment)
  return payment
}

/** The answer to a payment that is decided. */
export function decidedAnswer(
  { psp, reference, money, refusal, storedAs }: FakePayment,
  isPartial = false,
): FakeAnswer {
  return {
    status: 200,
    body: refusal
      ? {
          pspReference: psp,
          merchantReference: reference,
          resultCode: 'Refused',
          refusalReason: refusal.reason,
          refusalReasonCode: refusal.code,
          additionalData: { refusalReasonRaw: '05 : Do not honor' },
        }
      : {
          pspReference: psp,
          merchantReference: reference,
          resultCode: isPartial ? 'PartiallyAuthorised' : 'Authorised',
          amount: money,
          paymentMethod: { type: 'scheme', brand: 'mc' },
          additionalData: {
            cardBin: '555555',
            cardIssuingCountry: 'NL',
            cardSummary: '4444',
            expiryDate: '3/2030',
            fundingSource: 'DEBIT',
            cvcResult: '1 Matches',
            avsResult: '7 Both postal code and address match',
            networkTxReference: '492111111111111',
            refusalReasonRaw: 'AUTHORISED',
            ...(storedAs && {
              'tokenization.shopperReference': storedAs.shopper,
              'tokenization.storedPaymentMethodId': storedAs.token,
            }),
          },
        },
  }
}

/** `POST /payments`. */
export function pay(books: FakeBooks, body: Body): FakeAnswer {
  const asked = (members(body['amount']) as unknown as Money).value
  const payment = openPayment(books, body)
  const { attemptAuthentication, threeDSRequestData } = members(body['authenticationData'])
  if (isChallenged(body)) {
    if (attemptAuthentication === 'never') payment.refusal = { code: '38', reason: 'Authentication required' }
    else {
      payment.challenged = true
      const isNative = members(threeDSRequestData)['nativeThreeDS'] === 'preferred'
      return isNative ? nativeChallenge(payment, 'fingerprint') : pageChallenge(payment)
    }
  }
  books.authorize(payment)
  return decidedAnswer(payment, payment.money.value < asked)
}

const pageChallenge = ({ psp, reference }: FakePayment): FakeAnswer => ({
  status: 200,
  body: {
    resultCode: 'RedirectShopper',
    pspReference: psp,
    merchantReference: reference,
    action: {
      type: 'redirect',
      method: 'GET',
      paymentMethodType: 'scheme',
      url: `https://checkoutshopper-test.adyen.com/threeds/${psp}`,
    },
  },
})

const nativeChallenge = ({ psp }: FakePayment, subtype: 'fingerprint' | 'challenge'): FakeAnswer => ({
  status: 200,
  body: {
    resultCode: subtype === 'fingerprint' ? 'IdentifyShopper' : 'ChallengeShopper',
    action: {
      type: 'threeDS2',
      subtype,
      paymentData: `data-${psp}`,
      paymentMethodType: 'scheme',
      token: Buffer.from(psp).toString('base64'),
      authorisationToken: `auth-${psp}`,
    },
  },
})

/** `POST /payments/details`: the result of a challenge is `PSP:approve`, `PSP:decline` or `PSP:more`. */
export function completeDetails(books: FakeBooks, body: Body): FakeAnswer {
  const details = members(body['details'])
  const [psp = '', decision] = (text(details['redirectResult']) || text(details['threeDSResult'])).split(':')
  const payment = books.payments.get(psp)
  if (!payment?.challenged) return serviceError(422, '14_006', 'The result is invalid', 'validation')
  if (decision === 'more') return nativeChallenge(payment, 'challenge')
  if (decision !== 'approve') payment.refusal = { code: '11', reason: '3D Not Authenticated' }
  books.authorize(payment)
  return decidedAnswer(payment)
}

/** `POST /sessions` in the hosted mode. */
export function openSession(
  books: FakeBooks,
  sessions: Map<string, Body>,
  body: Body,
  now: number,
): FakeAnswer {
  const id = `CS${books.nextPsp()}`
  sessions.set(id, body)
  return {
    status: 201,
    body: {
      id,
      amount: body['amount'],
      merchantAccount: MERCHANT,
      reference: body['reference'],
      returnUrl: body['returnUrl'],
      expiresAt: body['expiresAt'] ?? new Date(now + 3_600_000).toISOString(),
      mode: 'hosted',
      url: `https://eu.adyen.link/${id}`,
    },
  }
}
