import { randomBytes } from 'node:crypto'
import { Compile } from '../../../base/compile.ts'
import { firstError } from '../../core/first-error.ts'
import {
  type Answer,
  badRequest,
  type Call,
  type Incoming,
  json,
  problem,
} from '../../core/provider-messages.ts'
import { isUuid } from '../../core/provider-request.ts'
import { schemeProviderIds } from '../../faults/fault.schema.ts'
import type { Provider, Sandbox } from '../../sandbox.ts'
import { CryptogramBody, ProvisionBody, SchemeChange } from './token.schema.ts'
import { allTokens, notifyRequestor, provision, storeToken, type TokenDocument, tokenOf } from './token.ts'

/**
 * The schemes' token services: `/tokens/{id}` with the requestor's own id. PUT provisions a token and gives
 * the same answer when repeated; GET, DELETE, and POST `/suspend`, `/resume`, `/cryptograms` are the
 * requestor's. POST `/scheme` is the scheme's: it changes a token and notifies the requestor. GET `/tokens`
 * is for tests and operators.
 */
export const tokenProvider: Provider = { receive }

interface NetworkTokenRequest {
  sandbox: Sandbox
  id: string
  body: unknown
}

const routes: Readonly<
  Record<string, { operation: Call['operation']; answer: (request: NetworkTokenRequest) => Answer }>
> = {
  PUT: { operation: 'network_token', answer: provisionToken },
  GET: {
    operation: 'find',
    answer: (request) => withToken(request, (token) => tokenAnswer(request.id, token)),
  },
  DELETE: { operation: 'network_token', answer: deleteToken },
  'POST suspend': {
    operation: 'network_token',
    answer: (request) => changeStatus(request, 'active', 'suspended'),
  },
  'POST resume': {
    operation: 'network_token',
    answer: (request) => changeStatus(request, 'suspended', 'active'),
  },
  'POST cryptograms': { operation: 'cryptogram', answer: cryptogram },
  'POST scheme': { operation: 'account', answer: schemeChange },
}

function receive(sandbox: Sandbox, { method, path, body }: Incoming): Call | null {
  const [, id, action, ...rest] = path
  if (method === 'GET' && id === undefined)
    return {
      payment_service_id: schemeProviderIds.tokens,
      operation: 'account',
      key: null,
      process: () => json(200, { items: allTokens(sandbox) }),
    }
  const name = action === undefined ? method : `${method} ${action}`
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  if (!id || !isUuid(id) || rest.length > 0 || !route) return null
  return {
    payment_service_id: schemeProviderIds.tokens,
    operation: route.operation,
    key: null,
    process: () => route.answer({ sandbox, id, body }),
  }
}

const tokenAnswer = (id: string, { status, token, expiration_date }: TokenDocument): Answer =>
  json(200, { id, status, token, expiration_date })

function withToken({ sandbox, id }: NetworkTokenRequest, use: (token: TokenDocument) => Answer): Answer {
  const token = tokenOf(sandbox, id)
  return token ? use(token) : problem(404, 'unknown_token', 'there is no such token')
}

const provisionBody = Compile(ProvisionBody)

function provisionToken({ sandbox, id, body }: NetworkTokenRequest): Answer {
  if (!provisionBody.Check(body)) return badRequest(firstError(provisionBody, body))
  if (body.merchant_initiated && !body.subsequent)
    return badRequest('a token that a merchant asks for follows a payment of the buyer')
  const token = tokenOf(sandbox, id) ?? provision(sandbox, id, body)
  if (!token) return problem(400, 'unsupported_card', 'the scheme makes no tokens for this card')
  return token.status === 'deleted'
    ? problem(410, 'deleted', 'this token was deleted')
    : tokenAnswer(id, token)
}

/** A token that was deleted before it was made can never be made. */
function deleteToken({ sandbox, id }: NetworkTokenRequest): Answer {
  const token = tokenOf(sandbox, id) ?? {
    status: 'active',
    token: '',
    expiration_date: '',
    notification_url: null,
  }
  storeToken(sandbox, id, { ...token, status: 'deleted' })
  return json(200, { id, status: 'deleted' })
}

const changeStatus = (
  request: NetworkTokenRequest,
  from: TokenDocument['status'],
  to: TokenDocument['status'],
): Answer =>
  withToken(request, (token) => {
    // a repeated request finds the token in its target status
    if (token.status !== from && token.status !== to)
      return problem(409, 'unexpected_state', `the token is ${token.status}`)
    return tokenAnswer(request.id, storeToken(request.sandbox, request.id, { ...token, status: to }))
  })

const cryptogramBody = Compile(CryptogramBody)

function cryptogram(request: NetworkTokenRequest): Answer {
  const { body } = request
  if (!cryptogramBody.Check(body)) return badRequest(firstError(cryptogramBody, body))
  return withToken(request, ({ status }) =>
    status === 'active'
      ? json(201, {
          cryptogram: randomBytes(20).toString('base64'),
          eci: body.merchant_initiated ? '07' : '05',
        })
      : problem(409, 'unexpected_state', `the token is ${status}`),
  )
}

const schemeBody = Compile(SchemeChange)

function schemeChange(request: NetworkTokenRequest): Answer {
  const { sandbox, id, body } = request
  if (!schemeBody.Check(body)) return badRequest(firstError(schemeBody, body))
  return withToken(request, (token) => {
    const changed = storeToken(sandbox, id, { ...token, ...body })
    void notifyRequestor(sandbox, id, changed)
    return tokenAnswer(id, changed)
  })
}
