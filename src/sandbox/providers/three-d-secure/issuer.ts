import { Compile } from '../../../base/compile.ts'
import { maskCardNumber } from '../../../connectors/wire/redact.ts'
import { type EmvTransactionStatus, expectedEci } from '../../../three-d-secure/liability.ts'
import { schemeOf } from '../../../vault/cards/card.ts'
import { documentStore } from '../../core/documents.ts'
import type { Sandbox } from '../../sandbox.ts'
import { authenticationValue, transactionId } from './derived-values.ts'
import { Areq } from './message.schema.ts'
import { erroMessage, type Message, readMessage } from './message.ts'
import { hasSeenBrowser } from './method.ts'
import { type Outcome, outcomeOf } from './outcome.ts'

/** A challenge in the issuer's books. Only the card's last four digits are stored. */
export interface Challenge {
  acsTransID: string
  dsTransID: string
  threeDSServerTransID: string
  messageVersion: Areq['messageVersion']
  messageCategory: Areq['messageCategory']
  notificationURL: string
  merchant: string
  /** In the currency's smallest unit (ISO 4217, digits); null if the authentication is for no payment. */
  purchase: { amount: number; currency: string } | null
  cardEnding: string
  /** The card's scheme, which decides the electronic commerce indicators. */
  scheme: string
  /** The cardholder's decision in the scenario; null: as the cardholder decides. */
  expected: Outcome['result']
  wrongCodes: number
  decision: Decision | null
  /** The 3DS server has acknowledged the decision. */
  isReported: boolean
}

export interface Decision {
  transStatus: 'Y' | 'N'
  /** The cardholder gave up (`challengeCancel` 01). */
  isCancelled: boolean
}

const challenges = documentStore<Challenge>('3ds-acs')
export const { find: challengeOf } = challenges

export const storeChallenge = (sandbox: Sandbox, challenge: Challenge): Challenge =>
  challenges.store(sandbox, challenge.acsTransID, challenge)

const areqMessage = Compile(Areq)
/** `transStatusReason`: authentication failed, suspected fraud, technical failure of the issuer. */
const reasons: Readonly<Record<string, string>> = { N: '01', R: '11', U: '22' }

/** Answers an AReq as the issuer's access control server (ARes). Undefined: it does not answer. */
export function requestIssuer(sandbox: Sandbox, body: Message): Message | undefined {
  const read = readMessage(areqMessage, body, { kind: 'AReq', component: 'A' })
  if ('refused' in read) return read.refused
  const { message } = read
  const dsTransID = String(body['dsTransID'])
  const outcome = outcomeOf(message)
  if (!outcome)
    return erroMessage({ about: body, kind: 'AReq', code: '305', component: 'A', detail: 'acctNumber' })
  // a requestor that claims it would be found out by a real issuer, too
  if (message.threeDSCompInd === 'Y' && !hasSeenBrowser(sandbox, message.threeDSServerTransID))
    return erroMessage({ about: body, kind: 'AReq', code: '305', component: 'A', detail: 'threeDSCompInd' })
  const { authentication: transStatus } = outcome
  if (transStatus === 'timeout') return undefined
  const acsTransID = transactionId(sandbox, 'acs', message.threeDSServerTransID)
  if (transStatus === 'C' && !challengeOf(sandbox, acsTransID))
    storeChallenge(sandbox, newChallenge(message, { acsTransID, dsTransID }, outcome))
  return {
    messageType: 'ARes',
    messageVersion: message.messageVersion,
    threeDSServerTransID: message.threeDSServerTransID,
    acsTransID,
    dsTransID,
    acsReferenceNumber: '3DS_SANDBOX_ISSUER_0001',
    acsOperatorID: 'railyard-sandbox',
    transStatus,
    ...(transStatus === 'C'
      ? challengeMembers(sandbox)
      : outcomeMembers(sandbox, { acsTransID, scheme: schemeOf(message.acctNumber) }, transStatus)),
  }
}

const challengeMembers = (sandbox: Sandbox) => ({
  acsURL: `${sandbox.pagesUrl()}/3ds/acs/challenge`,
  acsChallengeMandated: 'Y',
  authenticationType: '02',
})

/** The members of an ARes or RReq with a decision. */
export const outcomeMembers = (
  sandbox: Sandbox,
  { acsTransID, scheme }: Pick<Challenge, 'acsTransID' | 'scheme'>,
  transStatus: EmvTransactionStatus,
): Message => ({
  eci: expectedEci(scheme, transStatus),
  ...(reasons[transStatus]
    ? { transStatusReason: reasons[transStatus] }
    : { authenticationValue: authenticationValue(sandbox, acsTransID) }),
})

function newChallenge(
  message: Areq,
  ids: Pick<Challenge, 'acsTransID' | 'dsTransID'>,
  { result }: Outcome,
): Challenge {
  const {
    threeDSServerTransID,
    messageVersion,
    messageCategory,
    notificationURL,
    merchantName,
    acctNumber,
    purchaseAmount,
    purchaseCurrency,
  } = message
  return {
    ...ids,
    threeDSServerTransID,
    messageVersion,
    messageCategory,
    notificationURL,
    merchant: merchantName,
    purchase:
      purchaseAmount && purchaseCurrency
        ? { amount: Number(purchaseAmount), currency: purchaseCurrency }
        : null,
    cardEnding: maskCardNumber(acctNumber).slice(-4),
    scheme: schemeOf(acctNumber),
    expected: result,
    wrongCodes: 0,
    decision: null,
    isReported: false,
  }
}
