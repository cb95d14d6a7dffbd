import { Compile } from '../../../base/compile.ts'
import { versions } from '../../../connectors/emv-3ds/version.ts'
import { documentStore } from '../../core/documents.ts'
import { firstError } from '../../core/first-error.ts'
import { type Answer, badRequest, json, problem } from '../../core/provider-messages.ts'
import type { Sandbox } from '../../sandbox.ts'
import { requestDirectory } from './directory.ts'
import { Ares, Rreq, VersioningBody } from './message.schema.ts'
import { erroMessage, type Message, readMessage } from './message.ts'
import { methodUrl } from './method.ts'
import { outcomeOf } from './outcome.ts'

/** An authentication in the 3DS server's books. Nothing is stored of its card. */
interface Authentication {
  /** What the AReq said of the 3DS method. */
  threeDSCompInd: string
  ares: Ares
  /** The issuer's message after a challenge; null before. */
  rreq: Rreq | null
}

const {
  find: authenticationOf,
  store: storeAuthentication,
  list,
} = documentStore<Authentication>('3ds-server')

const versioningBody = Compile(VersioningBody)

/** The versions that a card's range supports, with its issuer's method URL; empty if it does not take part. */
export function versioning(sandbox: Sandbox, body: unknown): Answer {
  if (!versioningBody.Check(body)) return badRequest(firstError(versioningBody, body))
  const outcome = outcomeOf(body)
  return json(200, {
    protocolVersions: outcome ? versions.slice(versions.indexOf(outcome.version)).toReversed() : [],
    ...(outcome && { threeDSMethodURL: methodUrl(sandbox) }),
  })
}

const aresMessage = Compile(Ares)

/**
 * Sends an AReq to the directory server. A repeated transaction gets the same answer; undefined: the issuer
 * does not answer.
 */
export function authenticate(sandbox: Sandbox, body: unknown): Message | undefined {
  const areq: Message = typeof body === 'object' && body !== null ? { ...body } : {}
  const id = String(areq['threeDSServerTransID'])
  const authentication = authenticationOf(sandbox, id)
  if (authentication) return authentication.ares
  const url = `${sandbox.ownUrl()}/3ds/3dss/rreq`
  const answer = requestDirectory(sandbox, {
    ...areq,
    threeDSServerRefNumber: '3DS_SANDBOX_SERVER_0001',
    threeDSServerURL: url,
  })
  if (aresMessage.Check(answer))
    storeAuthentication(sandbox, id, {
      threeDSCompInd: String(areq['threeDSCompInd']),
      ares: answer,
      rreq: null,
    })
  return answer
}

const rreqMessage = Compile(Rreq)

/** Stores the first result of a challenge and acknowledges it (RRes). */
export function receiveResult(sandbox: Sandbox, body: unknown): Message {
  const read = readMessage(rreqMessage, body, { kind: 'RReq', component: 'S' })
  if ('refused' in read) return read.refused
  const { threeDSServerTransID, acsTransID, dsTransID, messageVersion } = read.message
  const authentication = authenticationOf(sandbox, threeDSServerTransID)
  const isOurs =
    authentication?.ares.acsTransID === acsTransID &&
    authentication.ares.dsTransID === dsTransID &&
    authentication.ares.transStatus === 'C'
  if (!isOurs)
    return erroMessage({
      about: body,
      kind: 'RReq',
      code: '301',
      component: 'S',
      detail: 'threeDSServerTransID',
    })
  if (!authentication.rreq)
    storeAuthentication(sandbox, threeDSServerTransID, { ...authentication, rreq: read.message })
  return {
    messageType: 'RRes',
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    dsTransID,
    resultsStatus: '01',
  }
}

/** The result of an authentication: the RReq, or the ARes if there was no challenge. */
export function resultAnswer(sandbox: Sandbox, id: string): Answer {
  const authentication = authenticationOf(sandbox, id)
  if (!authentication) return problem(404, 'unknown_transaction', 'there is no such authentication')
  if (authentication.rreq) return { ...json(200, authentication.rreq), key: id }
  return authentication.ares.transStatus === 'C'
    ? { status: 204, body: '' }
    : { ...json(200, authentication.ares), key: id }
}

/** For tests and operators. */
export const allAuthentications = (sandbox: Sandbox): Answer =>
  json(200, { items: list(sandbox).map(({ id, document }) => ({ id, ...document })) })
