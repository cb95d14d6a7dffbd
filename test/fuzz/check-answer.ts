import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ApiDocument } from '../support/checks/schema-values.ts'
import type { Request } from './requests.ts'

/** A response as it arrived. */
export interface Received {
  status: number
  text: string
  /** Milliseconds. */
  took: number
}

/** The limits that an answer must not exceed. */
export interface Bounds {
  /** Milliseconds. */
  patience: number
  /** Texts of other merchants: in no answer unless the request had them. */
  secrets: readonly string[]
}

/**
 * Refusals before an operation is known, so no operation documents them: a slow client, an expectation,
 * headers that are too large.
 */
const beforeOperations = new Set([408, 417, 431])

/** Checks answers against the API document. `complaint` returns the problem of an answer; undefined: none. */
export function answerChecker(document: ApiDocument, { patience, secrets }: Bounds) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: 'api', ...document })
  const escaped = (step: string) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))

  function described({ operation: { path, method } }: Request, status: number, body: unknown): boolean {
    const answer = document.paths[path]?.[method.toLowerCase()]?.responses[status]
    if (!answer) return false
    if (!answer.content || body === undefined) return true
    const at = [
      'paths',
      path,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ]
    return ajv.getSchema(`api#/${at.map(escaped).join('/')}`)?.(body) === true
  }

  return function complaint(request: Request, { status, text, took }: Received): string | undefined {
    if (status >= 500) return 'a server error'
    if (took > patience) return `took ${Math.round(took)} ms`
    const sent = `${request.path} ${decodeURIComponentOr(request.path)} ${request.body ?? ''}`
    const leak = secrets.find((secret) => text.includes(secret) && !sent.includes(secret))
    if (leak) return `tells what is another merchant's: ${leak}`
    const body = text === '' ? undefined : parsed(text)
    if (request.method === 'HEAD' || (request.method === 'OPTIONS' && status === 204)) return undefined
    if (status < 400) {
      const asked = request.method === request.operation.method
      return !asked || described(request, status, body)
        ? undefined
        : 'an answer that the API document does not describe'
    }
    if (beforeOperations.has(status))
      return isEnvelope(body, status) ? undefined : 'an error without the right body'
    if (leadsNowhere(request, status) && isEnvelope(body, status)) return undefined
    return described(request, status, body) &&
      (status === 422 || isEnvelope(body, status) || hasErrorsOfItsOwn(request))
      ? undefined
      : 'an error without the right body'
  }
}

/** A protocol that others have written names the form of its errors; the API document describes it. */
const hasErrorsOfItsOwn = ({ operation }: Request): boolean => operation.path.startsWith('/agentic_commerce/')

/** A path or a method that leads to no operation of the protocol is refused in Railyard's own form. */
const leadsNowhere = (request: Request, status: number): boolean =>
  hasErrorsOfItsOwn(request) && (status === 404 || status === 405)

const decodeURIComponentOr = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Whether it is the error body of API §7.1, with the answer's status. */
export const isEnvelope = (body: unknown, status: number): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'type' in body &&
  body.type === 'error' &&
  'status' in body &&
  body.status === status &&
  'code' in body &&
  typeof body.code === 'string' &&
  'message' in body &&
  typeof body.message === 'string' &&
  'details' in body &&
  Array.isArray(body.details)
