import type { AuthenticationProof } from '../../connectors/contract/authentication-proof.ts'
import type { CardForCall, Exchange } from '../../connectors/contract/call.ts'
import type { ErrorCode } from '../../connectors/contract/error-codes.ts'
import { absent, found, unsure } from '../../connectors/contract/outcome.ts'
import type {
  AuthenticationAnswer,
  AuthenticationError,
  AuthenticationRequest,
} from '../../connectors/contract/three-d-secure-server.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { recordExchanges } from '../../connectors/wire/record-exchanges.ts'
import { redactor } from '../../connectors/wire/redact.ts'
import { liabilityShift } from '../../three-d-secure/liability.ts'
import {
  cancelledSummary,
  completedSummary,
  declinedSummary,
  errorSummary,
} from '../../three-d-secure/summary.ts'
import type { World } from '../../world.ts'
import type { OperationOutcome, OperationRow } from '../operation.ts'
import type { CheckFindings, LookUpResult, SendResult } from './call-result.ts'

/** An authentication as the payment asks for it. */
export interface AuthenticationInput {
  /** `id` and `methodCompletion` come from the operation and the answer about the card's range. */
  request: Omit<AuthenticationRequest, 'id' | 'methodCompletion'>
  /** Railyard's page, which sends the cardholder to the issuer. */
  challengeUrl: string
}

/** What Railyard's page needs to send the cardholder to the issuer; kept in the transaction's approval. */
export interface Challenge {
  acs_url: string
  /** base64url of the CReq. */
  creq: string
  /** What the directory server has said so far. */
  proof: AuthenticationProof
  /** Of the card; null: not known. */
  scheme: string | null
}

/**
 * Has the card's issuer authenticate its cardholder (EMV 3DS; semantics §7.2). No money moves, so that there
 * is no unknown outcome: without an answer the cardholder is not authenticated.
 */
export async function sendAuthentication(
  world: World,
  operation: OperationRow,
  asked: AuthenticationInput | undefined,
): Promise<SendResult> {
  const server = world.schemes.threeDSecureServer
  if (!server || !asked) return { outcome: failed(operation, 'service_network_error'), exchanges: [] }
  const { request } = asked
  const { request: http, exchanges } = recordExchanges(
    instrumentedHttp(world, issuerCall('authentication')),
    world.clock,
    world.ids,
    redactor(request.card.number),
  )
  const seen = { version: null as string | null, method: null, amount: amountOf(operation) }

  const versions = await server.versions(http, request.card, request.simulated)
  const prepared = requestEntry('preparation-request', exchanges.at(-1), versionContext(versions))
  if (versions.status === 'error')
    return authenticationError(operation, versions.error, seen, [prepared], exchanges)
  // a card that takes no part is authorized without (semantics §7.2)
  if (!versions.enrolled || !versions.version) return approvedWith(operation, { timeline: [prepared] })

  seen.version = versions.version
  const answer = await server.authenticate(
    http,
    {
      ...request,
      id: authenticationId(operation),
      methodCompletion: operation.input.three_ds_method?.completed ? 'Y' : versions.methodUrl ? 'N' : 'U',
    },
    versions.version,
  )
  const timeline = [prepared, requestEntry('authentication-request', exchanges.at(-1), proofContext(answer))]
  switch (answer.status) {
    case 'authenticated':
      return approvedWith(operation, frictionless(answer.proof, operation, request.card.scheme, timeline))
    case 'refused':
      return {
        outcome: failed(operation, 'failed_buyer_approval'),
        exchanges: [],
        findings: { threeDSecure: declinedSummary(seen), timeline },
      }
    case 'challenge': {
      const challenge: Challenge = {
        acs_url: answer.acsUrl,
        creq: answer.creq,
        proof: answer.proof,
        scheme: request.card.scheme,
      }
      return {
        outcome: {
          status: 'pending',
          facts: {},
          references: {},
          approval: { url: asked.challengeUrl, sessionData: { ...challenge } },
        },
        exchanges: [],
        findings: { timeline },
      }
    }
    case 'error':
      return authenticationError(operation, answer.error, seen, timeline, exchanges)
  }
}

/** The outcome of a challenge. `absent`: the issuer was not asked, and without the card it cannot be. */
export async function lookUpAuthentication(
  world: World,
  operation: OperationRow,
  challenge: Challenge | undefined,
): Promise<LookUpResult> {
  const server = world.schemes.threeDSecureServer
  if (!server) return { finding: unsure, exchanges: [] }
  if (!challenge) return { finding: absent, exchanges: [] }
  const { request: http, exchanges } = recordExchanges(
    instrumentedHttp(world, issuerCall('find')),
    world.clock,
    world.ids,
    redactor(undefined),
  )
  const answer = await server.result(http, authenticationId(operation))
  if (answer.status === 'open')
    return { finding: found({ status: 'pending', facts: {}, references: {} }), exchanges: [] }
  // the cardholder may be answering at this moment
  if (answer.status === 'absent' || answer.status === 'error') return { finding: unsure, exchanges: [] }
  const { version, directory_response, directory_transaction_id } = challenge.proof
  const proof = {
    ...answer.proof,
    version,
    directory_response,
    directory_transaction_id: answer.proof.directory_transaction_id ?? directory_transaction_id,
  }
  const timeline = [requestEntry('result-request', exchanges.at(-1), proofContext({ ...answer, proof }))]
  const seen = { version, method: 'challenge' as const, amount: amountOf(operation) }
  if (answer.status === 'authenticated') {
    const threeDSecure = completedSummary(proof, seen)
    return {
      finding: found(approved(operation)),
      exchanges: [],
      findings: { threeDSecure, timeline: [...timeline, successEntry(proof, 'challenge', challenge.scheme)] },
    }
  }
  return {
    finding: found(failed(operation, 'failed_buyer_approval')),
    exchanges: [],
    findings: { threeDSecure: declinedSummary(seen), timeline },
  }
}

/** What is left of a challenge that its cardholder did not finish. */
export const unfinishedChallenge = (
  operation: OperationRow,
  challenge: Challenge | undefined,
): CheckFindings => ({
  threeDSecure: cancelledSummary({ version: challenge?.proof.version ?? null, amount: amountOf(operation) }),
  timeline: [],
})

/**
 * The page of the card's issuer that sees the cardholder's browser before an authentication (3DS method). Null:
 * the card's range has none, or the 3DS server does not answer.
 */
export async function findThreeDSMethodUrl(
  world: World,
  card: Pick<CardForCall, 'number' | 'scheme'>,
): Promise<string | null> {
  const { request: http } = instrumentedHttp(world, issuerCall('versioning'))
  const versions = await world.schemes.threeDSecureServer?.versions(http, card, null)
  return versions?.status === 'known' ? versions.methodUrl : null
}

/** The `threeDSServerTransID`. */
const authenticationId = ({ id, input }: OperationRow): string => input.three_ds_method?.transaction_id ?? id

const issuerCall = (operation: string) => ({ definition: '3-d-secure', operation })

const amountOf = ({ input }: OperationRow): number | null => input.authenticated_amount ?? null

const approved = ({ amount }: OperationRow): OperationOutcome => ({
  status: 'approved',
  amount,
  facts: {},
  references: {},
})
const failed = (_operation: OperationRow, code: ErrorCode): OperationOutcome => ({
  status: 'failed',
  code,
  facts: {},
  references: {},
})
const approvedWith = (operation: OperationRow, findings: CheckFindings): SendResult => ({
  outcome: approved(operation),
  exchanges: [],
  findings,
})

const frictionless = (
  proof: AuthenticationProof,
  operation: OperationRow,
  scheme: string | null,
  timeline: CheckFindings['timeline'],
): CheckFindings => ({
  threeDSecure: completedSummary(proof, { method: 'frictionless', amount: amountOf(operation) }),
  timeline: [...timeline, successEntry(proof, 'frictionless', scheme)],
})

function authenticationError(
  operation: OperationRow,
  error: AuthenticationError,
  seen: Parameters<typeof errorSummary>[1],
  timeline: CheckFindings['timeline'],
  exchanges: Exchange[],
): SendResult {
  const reason = {
    name: 'three-d-secure-request-error',
    context: { url: exchanges.at(-1)?.url ?? null, reason: error.description ?? error.code },
  }
  const findings = { threeDSecure: errorSummary(error, seen), timeline: [...timeline, reason] }
  return { outcome: failed(operation, 'service_network_error'), exchanges: [], findings }
}

const requestEntry = (
  name: string,
  exchange: Exchange | undefined,
  more: object,
): CheckFindings['timeline'][number] => ({
  name: `three-d-secure-${name}`,
  context: {
    url: exchange?.url ?? null,
    request: exchange?.request ?? null,
    response: exchange?.response ?? null,
    response_status_code: exchange?.status ?? null,
    ...more,
  },
})

const versionContext = (answer: { status: string; enrolled?: boolean; version?: string | null }) => ({
  is_enrolled: answer.enrolled ?? null,
  version: answer.version ?? null,
})

function proofContext(answer: Pick<AuthenticationAnswer, 'status'> & { proof?: AuthenticationProof }) {
  const { proof } = answer
  return {
    cavv: proof?.cavv ?? null,
    eci: proof?.eci ?? null,
    directory_response: proof?.directory_response ?? null,
    directory_transaction_id: proof?.directory_transaction_id ?? null,
    ...(proof?.authentication_response && { authentication_response: proof.authentication_response }),
    version: proof?.version ?? null,
  }
}

const successEntry = (
  proof: AuthenticationProof,
  method: 'frictionless' | 'challenge',
  scheme: string | null,
) => ({
  name: 'three-d-secure-success',
  context: {
    eci: proof.eci,
    cavv: proof.cavv,
    version: proof.version,
    directory_response: proof.directory_response,
    authentication_response: proof.authentication_response,
    directory_transaction_id: proof.directory_transaction_id,
    cavv_algorithm: proof.cavv_algorithm,
    method,
    // whether the issuer or the merchant bears the loss of a payment that the cardholder denies
    liability: liabilityShift(scheme, proof.eci),
  },
})
