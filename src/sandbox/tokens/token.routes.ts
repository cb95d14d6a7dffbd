import { randomBytes } from 'node:crypto'
import { Compile } from 'typebox/compile'
import { schemeServices } from '../fault.schema.ts'
import { type Answer, badRequest, type Call, type Incoming, json, type Provider, problem } from '../provider.ts'
import type { Sandbox } from '../sandbox.ts'
import { firstError } from '../shape.ts'
import { CryptogramBody, ProvisionBody, SchemeChange } from './token.schema.ts'
import { allTokens, keepToken, provision, type TokenDocument, tellOf, tokenOf } from './token.ts'

/**
 * The schemes' token services: `/tokens/{id}`, where the id is the requestor's own. PUT provisions, and answers the same however often it is
 * asked; GET, DELETE, and POST `/suspend`, `/resume`, `/cryptograms` are the requestor's. POST `/scheme` is the scheme's: it changes a token by itself and
 * tells the requestor. GET of them all is for tests and operators.
 */
export const tokenProvider: Provider = {
  receive,
  notification: () => ({ body: '{}' }),
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

interface Asked {
  sandbox: Sandbox
  id: string
  body: unknown
}

const routes: Readonly<Record<string, { operation: Call['operation']; answer: (asked: Asked) => Answer }>> = {
  PUT: { operation: 'network_token', answer: put },
  GET: { operation: 'find', answer: (asked) => withToken(asked, (token) => tokenAnswer(asked.id, token)) },
  DELETE: { operation: 'network_token', answer: remove },
  'POST suspend': { operation: 'network_token', answer: (asked) => move(asked, 'active', 'suspended') },
  'POST resume': { operation: 'network_token', answer: (asked) => move(asked, 'suspended', 'active') },
  'POST cryptograms': { operation: 'cryptogram', answer: cryptogram },
  'POST scheme': { operation: 'account', answer: schemeChange },
}

function receive(sandbox: Sandbox, { method, path, body }: Incoming): Call | null {
  const [, id, action, ...rest] = path
  if (method === 'GET' && id === undefined)
    return { payment_service_id: schemeServices.tokens, operation: 'account', key: null, process: () => json(200, { items: allTokens(sandbox) }) }
  const name = action === undefined ? method : `${method} ${action}`
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined
  if (!id || !uuid.test(id) || rest.length > 0 || !route) return null
  return { payment_service_id: schemeServices.tokens, operation: route.operation, key: null, process: () => route.answer({ sandbox, id, body }) }
}

const tokenAnswer = (id: string, { status, token, expiration_date }: TokenDocument): Answer => json(200, { id, status, token, expiration_date })

function withToken({ sandbox, id }: Asked, use: (token: TokenDocument) => Answer): Answer {
  const token = tokenOf(sandbox, id)
  return token ? use(token) : problem(404, 'unknown_token', 'there is no such token')
}

const provisionBody = Compile(ProvisionBody)

function put({ sandbox, id, body }: Asked): Answer {
  if (!provisionBody.Check(body)) return badRequest(firstError(provisionBody, body))
  if (body.merchant_initiated && !body.subsequent) return badRequest('a token that a merchant asks for follows a payment of the buyer')
  const token = tokenOf(sandbox, id) ?? provision(sandbox, id, body)
  if (!token) return problem(400, 'unsupported_card', 'the scheme makes no tokens for this card')
  return token.status === 'deleted' ? problem(410, 'deleted', 'this token was deleted') : tokenAnswer(id, token)
}

/** A token that was never made is not made any more. */
function remove({ sandbox, id }: Asked): Answer {
  const token = tokenOf(sandbox, id) ?? { status: 'active', token: '', expiration_date: '', notification_url: null }
  keepToken(sandbox, id, { ...token, status: 'deleted' })
  return json(200, { id, status: 'deleted' })
}

const move = (asked: Asked, from: TokenDocument['status'], to: TokenDocument['status']): Answer =>
  withToken(asked, (token) => {
    // told again: it is so already
    if (token.status !== from && token.status !== to) return problem(409, 'unexpected_state', `the token is ${token.status}`)
    return tokenAnswer(asked.id, keepToken(asked.sandbox, asked.id, { ...token, status: to }))
  })

const cryptogramBody = Compile(CryptogramBody)

function cryptogram(asked: Asked): Answer {
  const { body } = asked
  if (!cryptogramBody.Check(body)) return badRequest(firstError(cryptogramBody, body))
  return withToken(asked, ({ status }) =>
    status === 'active'
      ? json(201, { cryptogram: randomBytes(20).toString('base64'), eci: body.merchant_initiated ? '07' : '05' })
      : problem(409, 'unexpected_state', `the token is ${status}`),
  )
}

const schemeBody = Compile(SchemeChange)

function schemeChange(asked: Asked): Answer {
  const { sandbox, id, body } = asked
  if (!schemeBody.Check(body)) return badRequest(firstError(schemeBody, body))
  return withToken(asked, (token) => {
    const changed = keepToken(sandbox, id, { ...token, ...body })
    void tellOf(sandbox, id, changed)
    return tokenAnswer(id, changed)
  })
}
