import type { ServiceCall } from '../contract/call.ts'
import type { Connector, DisputeAnswer } from '../contract/connector.ts'
import type { SimulatorRequest } from '../wire/simulator-request.ts'

/** Answers to disputes at the simulator. */
export function disputeAnswers(request: SimulatorRequest): NonNullable<Connector['disputes']> {
  const send = async (
    call: ServiceCall,
    path: string,
    body: unknown,
    key: string,
  ): Promise<DisputeAnswer> => {
    const answer = await call.http(request(call, 'POST', `/disputes/${path}`, body, key))
    if (answer.lost) return { status: 'unknown', reason: answer.reason }
    if (answer.status === 200 && answer.body['key'] === key) return { status: 'done' }
    // a conflict is with another request under our own key
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 409)
      return { status: 'refused', reason: `HTTP ${answer.status}` }
    return { status: 'unknown', reason: `HTTP ${answer.status}` }
  }
  return {
    submitEvidence: (call, { key, dispute, text, files }) => {
      const encoded = files.map((file) => ({ ...file, content: file.content.toString('base64') }))
      return send(call, `${encodeURIComponent(dispute)}/evidence`, { text, files: encoded }, key)
    },
    accept: (call, { key, id }) => send(call, `${encodeURIComponent(id)}/acceptance`, {}, key),
  }
}
