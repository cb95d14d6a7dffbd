import type { AuthenticationProof } from '../contract/authentication-proof.ts'
import type {
  AuthenticationAnswer,
  ChallengeResult,
  VersionAnswer,
} from '../contract/three-d-secure-server.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { authenticationFailure, matching, messageOf, printable } from './error.ts'
import { isVersion, type Version, versions } from './version.ts'

type Message = Record<string, unknown>

/** The authentication that an answer must belong to. */
interface ExpectedMessage {
  id: string
  /** Absent: any version that Railyard speaks. */
  version?: Version
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** 20 bytes in base64. */
const authenticationValue = /^[A-Za-z0-9+/]{27}=$/

/**
 * The indicators that go with each successful status: first most schemes', then Mastercard's. An answer with
 * another indicator contradicts itself.
 */
const successes: Readonly<Record<string, RegExp>> = { Y: /^(05|02)$/, A: /^(06|01)$/ }
const refusals = ['N', 'U', 'R']

/**
 * Reads `protocolVersions`, the versions of the card's issuer and its directory server; empty if the range
 * does not take part. A method URL that is no web address counts as none: the payment continues without.
 */
export function readVersions(answer: HttpAnswer): VersionAnswer {
  const received = messageOf(answer)
  if (received.status === 'error') return received
  const supported = received.message['protocolVersions']
  if (!Array.isArray(supported)) return authenticationFailure('201', 'protocolVersions')
  const version = versions.find((each) => supported.includes(each)) ?? null
  const methodUrl = version && matching(received.message['threeDSMethodURL'], /^https?:\/\/\S{1,2040}$/)
  return {
    status: 'known',
    enrolled: version !== null,
    version,
    methodUrl: methodUrl && URL.canParse(methodUrl) ? methodUrl : null,
  }
}

/**
 * Reads the ARes to an AReq. An answer that is about another authentication, incomplete or contradictory
 * authenticates no cardholder.
 */
export function readAres(
  answer: HttpAnswer,
  expected: ExpectedMessage & { version: Version },
): AuthenticationAnswer {
  const received = messageOf(answer)
  if (received.status === 'error') return received
  const { message } = received
  const problem = problemOf(message, 'ARes', expected)
  if (problem) return problem
  const { transStatus } = message
  const proof = proofOf(message, expected.version)
  return transStatus === 'C'
    ? readChallenge(message, expected, proof)
    : toResult(transStatus, { ...proof, directory_response: String(transStatus) })
}

/**
 * Reads what the 3DS server received from the issuer: an RReq, or the ARes of an authentication without a
 * challenge.
 */
export function readResult(answer: HttpAnswer, id: string): ChallengeResult {
  if (!answer.lost && answer.status === 404) return { status: 'absent' }
  if (!answer.lost && answer.status === 204) return { status: 'open' }
  const received = messageOf(answer)
  if (received.status === 'error') return received
  const { message } = received
  const kind = message['messageType'] === 'ARes' ? 'ARes' : 'RReq'
  const problem = problemOf(message, kind, { id })
  if (problem) return problem
  const { transStatus } = message
  const proof = proofOf(message, String(message['messageVersion']))
  if (kind === 'RReq')
    return toResult(transStatus, {
      ...proof,
      directory_response: 'C',
      authentication_response: String(transStatus),
    })
  return transStatus === 'C'
    ? { status: 'open' }
    : toResult(transStatus, { ...proof, directory_response: String(transStatus) })
}

function problemOf(body: Message, kind: 'ARes' | 'RReq', { id, version }: ExpectedMessage) {
  if (body['messageType'] !== kind) return authenticationFailure('101', `it is no ${kind}`)
  if (body['threeDSServerTransID'] !== id) return authenticationFailure('301', 'threeDSServerTransID')
  const messageVersion = body['messageVersion']
  return isVersion(messageVersion) && (version === undefined || messageVersion === version)
    ? undefined
    : authenticationFailure('102', 'messageVersion')
}

function proofOf(body: Message, version: string): AuthenticationProof {
  return {
    version,
    directory_response: 'C',
    authentication_response: null,
    directory_transaction_id: matching(body['dsTransID'], uuid),
    cavv: matching(body['authenticationValue'], authenticationValue),
    eci: matching(body['eci'], /^0[0-7]$/),
    cavv_algorithm: null,
    transaction_reason: matching(body['transStatusReason'], /^\d{2}$/),
    cardholder_info: printable(body['cardholderInfo'], 128),
  }
}

function toResult(
  transStatus: unknown,
  proof: AuthenticationProof,
): Extract<ChallengeResult, { status: 'authenticated' | 'refused' | 'error' }> {
  const status = String(transStatus)
  if (refusals.includes(status)) return { status: 'refused', proof: { ...proof, cavv: null } }
  const indicator = Object.hasOwn(successes, status) ? successes[status] : undefined
  // decoupled (D), informational (I) and secure payment confirmation (S) answer requests that Railyard never
  // makes
  if (!indicator) return authenticationFailure('203', 'transStatus')
  if (proof.directory_transaction_id === null) return authenticationFailure('201', 'dsTransID')
  if (proof.cavv === null) return authenticationFailure('201', 'authenticationValue')
  return proof.eci !== null && indicator.test(proof.eci)
    ? { status: 'authenticated', proof }
    : authenticationFailure('201', 'eci')
}

function readChallenge(
  body: Message,
  { id, version }: ExpectedMessage & { version: Version },
  proof: AuthenticationProof,
): AuthenticationAnswer {
  const acsTransID = matching(body['acsTransID'], uuid)
  const acsUrl = matching(body['acsURL'], /^https?:\/\/\S{1,2040}$/)
  if (!acsTransID) return authenticationFailure('201', 'acsTransID')
  if (!acsUrl || !URL.canParse(acsUrl)) return authenticationFailure('201', 'acsURL')
  const creq = {
    messageType: 'CReq',
    messageVersion: version,
    threeDSServerTransID: id,
    acsTransID,
    challengeWindowSize: FULL_SCREEN,
  }
  return {
    status: 'challenge',
    acsUrl,
    creq: Buffer.from(JSON.stringify(creq)).toString('base64url'),
    proof: { ...proof, cavv: null, eci: null },
  }
}

const FULL_SCREEN = '05'
