import { Compile } from 'typebox/compile'
import { versions } from '../../../connectors/emv-3ds/version.ts'
import { record } from '../../core/books.ts'
import { firstError } from '../../core/first-error.ts'
import { type Answer, badRequest, json, problem } from '../../core/provider-messages.ts'
import type { Sandbox } from '../../sandbox.ts'
import { requestDirectory } from './directory.ts'
import { Ares, Rreq, VersioningBody } from './message.schema.ts'
import { erroMessage, type Message, readMessage } from './message.ts'
import { outcomeOf } from './outcome.ts'

/** An authentication in the 3DS server's books. Of the card nothing is kept. */
interface Authentication {
  ares: Ares
  /** What the issuer told after a challenge; null before. */
  rreq: Rreq | null
}

const documentId = (id: string) => `3ds-server/${id}`

/** Only this file writes these documents. */
const authenticationOf = ({ books }: Sandbox, id: string) => books.documents.get(documentId(id)) as Authentication | undefined

const storeAuthentication = ({ books }: Sandbox, id: string, document: Authentication) =>
  record(books, { entry: 'document', id: documentId(id), document })

const versioningBody = Compile(VersioningBody)

/** Which versions a card's range speaks; none: it takes no part. */
export function versioning(body: unknown): Answer {
  if (!versioningBody.Check(body)) return badRequest(firstError(versioningBody, body))
  const outcome = outcomeOf(body)
  return json(200, { protocolVersions: outcome ? versions.slice(versions.indexOf(outcome.version)).toReversed() : [] })
}

const aresMessage = Compile(Ares)

/** Passes an AReq on to the directory server. The same transaction is answered the same for ever; undefined: the issuer is silent. */
export function authenticate(sandbox: Sandbox, body: unknown): Message | undefined {
  const asked: Message = typeof body === 'object' && body !== null ? { ...body } : {}
  const id = String(asked['threeDSServerTransID'])
  const known = authenticationOf(sandbox, id)
  if (known) return known.ares
  const url = `${sandbox.ownUrl()}/3ds/3dss/rreq`
  const answer = requestDirectory(sandbox, { ...asked, threeDSServerRefNumber: '3DS_SANDBOX_SERVER_0001', threeDSServerURL: url })
  if (aresMessage.Check(answer)) storeAuthentication(sandbox, id, { ares: answer, rreq: null })
  return answer
}

const rreqMessage = Compile(Rreq)

/** Takes the result of a challenge, the first one, and acknowledges it (RRes). */
export function receiveResult(sandbox: Sandbox, body: unknown): Message {
  const read = readMessage(rreqMessage, body, { kind: 'RReq', component: 'S' })
  if ('refused' in read) return read.refused
  const { threeDSServerTransID, acsTransID, dsTransID, messageVersion } = read.message
  const known = authenticationOf(sandbox, threeDSServerTransID)
  const isOurs = known?.ares.acsTransID === acsTransID && known.ares.dsTransID === dsTransID && known.ares.transStatus === 'C'
  if (!isOurs) return erroMessage({ about: body, kind: 'RReq', code: '301', component: 'S', detail: 'threeDSServerTransID' })
  if (!known.rreq) storeAuthentication(sandbox, threeDSServerTransID, { ...known, rreq: read.message })
  return { messageType: 'RRes', messageVersion, threeDSServerTransID, acsTransID, dsTransID, resultsStatus: '01' }
}

/** What the 3DS server knows of an authentication: the RReq, or the ARes where that was the last word. */
export function resultAnswer(sandbox: Sandbox, id: string): Answer {
  const known = authenticationOf(sandbox, id)
  if (!known) return problem(404, 'unknown_transaction', 'there is no such authentication')
  if (known.rreq) return { ...json(200, known.rreq), key: id }
  return known.ares.transStatus === 'C' ? { status: 204, body: '' } : { ...json(200, known.ares), key: id }
}

/** For tests and operators. */
export const allAuthentications = (sandbox: Sandbox): Answer =>
  json(200, {
    items: [...sandbox.books.documents.keys()]
      .filter((key) => key.startsWith(documentId('')))
      .map((key) => ({ id: key.slice(documentId('').length), ...authenticationOf(sandbox, key.slice(documentId('').length)) })),
  })
