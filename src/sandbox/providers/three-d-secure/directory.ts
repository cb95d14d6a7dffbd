import { Compile } from '../../../base/compile.ts'
import type { Sandbox } from '../../sandbox.ts'
import { transactionId } from './derived-values.ts'
import { requestIssuer } from './issuer.ts'
import { Areq } from './message.schema.ts'
import { erroMessage, type Message, readMessage, sendMessage } from './message.ts'
import { outcomeOf } from './outcome.ts'

const areqMessage = Compile(Areq)

/**
 * Sends an AReq to the card's issuer, as the scheme's directory server. Undefined: the issuer does not
 * answer.
 */
export function requestDirectory(sandbox: Sandbox, body: unknown): Message | undefined {
  const read = readMessage(areqMessage, body, { kind: 'AReq', component: 'D' })
  if ('refused' in read) return read.refused
  const { message } = read
  const outcome = outcomeOf(message)
  if (!outcome)
    return erroMessage({ about: body, kind: 'AReq', code: '305', component: 'D', detail: 'acctNumber' })
  const dsReferenceNumber = '3DS_SANDBOX_DIRECTORY_0001'
  const dsTransID = transactionId(sandbox, 'ds', message.threeDSServerTransID)
  const ares = requestIssuer(sandbox, {
    ...message,
    dsReferenceNumber,
    dsTransID,
    dsURL: `${sandbox.ownUrl()}/3ds/ds/rreq`,
  })
  return ares && { ...ares, dsReferenceNumber }
}

/**
 * Passes an issuer's result to the 3DS server and returns its acknowledgement. The URL is the current one:
 * another start has another port.
 */
export async function relayResult(sandbox: Sandbox, body: unknown): Promise<Message> {
  const message: Message = typeof body === 'object' && body !== null ? { ...body } : {}
  const answer = await sendMessage(sandbox, `${sandbox.ownUrl()}/3ds/3dss/rreq`, message)
  return (
    answer ??
    erroMessage({ about: body, kind: 'RReq', code: '405', component: 'D', detail: 'threeDSServerURL' })
  )
}
