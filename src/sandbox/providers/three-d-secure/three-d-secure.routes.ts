import { type Answer, type Call, type Incoming, json } from '../../core/provider-messages.ts'
import { schemeProviderIds } from '../../faults/fault.schema.ts'
import type { Provider, Sandbox } from '../../sandbox.ts'
import { beginChallenge, decideChallenge } from './challenge.ts'
import { relayResult, requestDirectory } from './directory.ts'
import { requestIssuer } from './issuer.ts'
import type { Message } from './message.ts'
import { runMethod } from './method.ts'
import { allAuthentications, authenticate, receiveResult, resultAnswer, versioning } from './server.ts'

/**
 * The parties of 3-D Secure: the 3DS server (`/3ds/3dss`), the directory server of the card's scheme
 * (`/3ds/ds`) and the access control server of its issuer (`/3ds/acs`), whose page the cardholder sees. An
 * AReq goes through all three; the result of a challenge goes back over HTTP, as an RReq.
 */
export const threeDSecureProvider: Provider = { receive }

interface PartyRequest {
  sandbox: Sandbox
  body: unknown
}

const routes: Readonly<
  Record<
    string,
    { operation: Call['operation']; answer: (request: PartyRequest) => Answer | Promise<Answer> }
  >
> = {
  'POST 3dss/versioning': {
    operation: 'versioning',
    answer: ({ sandbox, body }) => versioning(sandbox, body),
  },
  'POST 3dss/authenticate': {
    operation: 'authentication',
    answer: ({ sandbox, body }) => messageAnswer(authenticate(sandbox, body)),
  },
  'POST 3dss/rreq': {
    operation: 'challenge_result',
    answer: ({ sandbox, body }) => json(200, receiveResult(sandbox, body)),
  },
  'GET 3dss/results': { operation: 'account', answer: ({ sandbox }) => allAuthentications(sandbox) },
  'POST ds/areq': {
    operation: 'account',
    answer: ({ sandbox, body }) => messageAnswer(requestDirectory(sandbox, body)),
  },
  'POST ds/rreq': {
    operation: 'account',
    answer: async ({ sandbox, body }) => json(200, await relayResult(sandbox, body)),
  },
  'POST acs/areq': {
    operation: 'account',
    answer: ({ sandbox, body }) => messageAnswer(requestIssuer(sandbox, { ...Object(body) })),
  },
}

function receive(sandbox: Sandbox, incoming: Incoming): Call | null {
  const { method, path, body } = incoming
  const [, party, resource, id, ...rest] = path
  if (rest.length > 0) return null
  const call = (operation: Call['operation'], key: string | null, process: Call['process']): Call => ({
    payment_service_id: schemeProviderIds.threeDSecure,
    operation,
    key,
    process,
  })
  const name = `${method} ${party}/${resource}`
  if (name === 'GET 3dss/results' && id !== undefined)
    return call('find', id, () => resultAnswer(sandbox, id))
  if (name === 'POST acs/method' && id === undefined)
    return call('page', null, () => runMethod(sandbox, body))
  if (name === 'POST acs/challenge') return call('page', null, () => handleBrowser({ sandbox, incoming }, id))
  const route = id === undefined && Object.hasOwn(routes, name) ? routes[name] : undefined
  return route ? call(route.operation, transactionOf(body), () => route.answer({ sandbox, body })) : null
}

const handleBrowser = (
  browser: { sandbox: Sandbox; incoming: Incoming },
  id: string | undefined,
): Promise<Answer> => (id === undefined ? beginChallenge(browser) : decideChallenge(browser, id))

/**
 * The answer to a message. If the other party does not answer, neither does this, until the caller gives up.
 */
function messageAnswer(message: Message | undefined): Answer | Promise<Answer> {
  if (!message) return new Promise(() => undefined)
  const key = transactionOf(message)
  return { ...json(200, message), ...(key !== null && { key }) }
}

const transactionOf = (body: unknown): string | null =>
  typeof body === 'object' && body !== null && 'threeDSServerTransID' in body
    ? String(body.threeDSServerTransID)
    : null
