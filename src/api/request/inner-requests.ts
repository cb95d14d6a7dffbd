import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import type { ApprovalTerms } from '../approval.ts'
import type { Caller } from '../auth/caller.ts'
import { MERCHANT_ACCOUNT } from '../server/request-headers.ts'
import type { ApprovalTarget, PreconditionChange, ProposalAttempt } from '../values/approval-target.ts'
import { sendToOwnServer } from './send-to-own-server.ts'

/** The request of a proposal, as the server has read it. */
export interface CheckedRequest {
  terms: ApprovalTerms
  /** Whose policies apply. */
  account: string
  /** With the ids in their canonical form. */
  path: string
  body: unknown
  operations: ReturnType<ApprovalTerms['operations']>
  target: ApprovalTarget
}

/**
 * A request that this process sends to its own server for the requester of a proposal. `check` goes as far as
 * the operation, and does not run it.
 */
export type InnerRequest = { caller: Caller } & (
  | { kind: 'check'; checked?: CheckedRequest }
  | {
      kind: 'execute'
      proposal: ProposalAttempt
      /** Absent: an earlier attempt may have changed them. */
      preconditions?: ApprovalTarget['preconditions']
      /** What has changed; the request was refused then. */
      changes?: PreconditionChange[]
      /** True: the answer has a credential that is answered once. */
      answersCredential?: boolean
    }
)

declare module 'fastify' {
  interface FastifyInstance {
    /** By single-use random values, which leave this process in no message. */
    innerRequests: Map<string, InnerRequest>
  }
  interface FastifyRequest {
    /** Null: the request came from a client. */
    inner: InnerRequest | null
  }
}

const HEADER = 'x-railyard-inner-request'

/** Add before the authentication. */
export function acceptInnerRequests(app: App): void {
  app.decorate('innerRequests', new Map())
  app.decorateRequest('inner', null)
}

/** Recognizes a request that this process has sent to itself. A client cannot know the value of its header. */
export function recognizeInnerRequest({ innerRequests }: App, request: FastifyRequest): void {
  const value = request.headers[HEADER]
  if (typeof value !== 'string') return
  request.inner = innerRequests.get(value) ?? null
  innerRequests.delete(value)
}

export interface SentRequest {
  account: string
  method: string
  path: string
  /** Undefined: no body. */
  body: unknown
  idempotencyKey?: string
}

/** The parts of the answer that a proposal needs. */
export interface InnerAnswer {
  status: number
  /** Undefined: none, or no JSON. */
  body: unknown
  /** True: the server says that the same request may succeed later. */
  isRetriable: boolean
}

/** Sends a request to the server of this process, with the caller's rights. */
export async function sendInnerRequest(
  app: Pick<App, 'routing' | 'innerRequests'>,
  inner: InnerRequest,
  { account, method, path, body, idempotencyKey }: SentRequest,
): Promise<InnerAnswer> {
  const value = randomBytes(32).toString('base64url')
  app.innerRequests.set(value, inner)
  try {
    const answer = await sendToOwnServer(app, {
      method: method as 'POST' | 'PUT' | 'DELETE',
      url: path,
      headers: {
        [HEADER]: value,
        [MERCHANT_ACCOUNT]: account,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    return {
      status: answer.statusCode,
      body: parseJson(answer.body),
      isRetriable: answer.statusCode >= 500 || answer.headers['retry-after'] !== undefined,
    }
  } finally {
    app.innerRequests.delete(value)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
