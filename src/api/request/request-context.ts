import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import { type MovedClocks, runInAccountTime, runUntilAccountKnown } from '../../base/account-clock.ts'
import type { PendingRequest } from '../../base/pending-requests.ts'
import type { App } from '../app.ts'
import type { Actor } from '../auth/caller.ts'
import type { ApprovalBounds, ApprovalTarget, ProposalAttempt } from '../values/approval-target.ts'
import { isUuid } from '../values/uuid.ts'
import { clientAddress } from './client-address.ts'

/** The request that is being answered, for the audit log, log lines and traces. */
export interface RequestContext {
  id: string
  /** The caller's; undefined on public operations. */
  actor: Actor | undefined
  /** The merchant account that the request acts on, or that its path names. */
  account?: string
  /** The client's network address; absent on the command line. */
  address?: string
  /** What the client says that it is. */
  userAgent?: string
  /** The proposal that the request executes; absent on the requests of clients. */
  proposal?: ProposalAttempt
  /** What its operation must still find, or it needs approval, or a new proposal. */
  approvalBounds?: ApprovalBounds
  /** On what the approval of the proposal depended, as it still was when its execution began. */
  approvedPreconditions?: ApprovalTarget['preconditions']
  /** The transaction that the request is about, once that is known. */
  transaction?: string
  /** The entry among the requests that this process has admitted. */
  pendingRequest?: PendingRequest
}

const requestContexts = new AsyncLocalStorage<RequestContext>()

/** Undefined outside of requests: background work has no actor. */
export const currentRequest = (): RequestContext | undefined => requestContexts.getStore()

/** Runs `work`, and everything that it starts, with this context. */
export const runAsRequest = <T>(context: RequestContext, work: () => T): T =>
  requestContexts.run(context, work)

/** Sets the transaction of the current request; log lines from now on name it. */
export function setRequestTransaction(id: string): void {
  const context = currentRequest()
  if (context) context.transaction = id
}

/**
 * Runs `work`, which waits for another service: meanwhile the request does not count as work that this
 * process has to do.
 */
export async function whileRequestPaused<T>(work: () => Promise<T>): Promise<T> {
  const pendingRequest = currentRequest()?.pendingRequest
  pendingRequest?.pause()
  try {
    return await work()
  } finally {
    pendingRequest?.resume()
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the caller is known and the body is read. */
    context: RequestContext | null
  }
}

/**
 * Once the caller is known and the body is read, runs the rest of a request with its context and in the time
 * of its merchant account.
 */
export function provideRequestContext(app: App, movedClocks: () => Promise<MovedClocks>): void {
  app.decorateRequest('context', null)
  app.addHook('preHandler', (request, _reply, done) => {
    const account = accountOf(request)
    request.context = {
      id: request.id,
      actor: request.caller?.actor,
      ...(account !== undefined && { account }),
      address: clientAddress(request),
      ...(request.headers['user-agent'] !== undefined && { userAgent: request.headers['user-agent'] }),
      ...(request.pendingRequest && { pendingRequest: request.pendingRequest }),
      ...(request.inner?.kind === 'execute' && { proposal: request.inner.proposal }),
      ...transactionOf(request.params),
    }
    requestContexts.run(request.context, done)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    const account = request.context?.account
    // without an account no clock is read: /health/ready must answer without the database
    if (account === undefined) runUntilAccountKnown(done)
    else
      movedClocks().then(
        (moved) => (moved.size === 0 ? done() : runInAccountTime(moved, account, done)),
        done,
      )
  })
}

/**
 * The account that the request acts on, or that its path names. Not that of a query: a client that guesses
 * passwords must not choose the time in which they are counted.
 */
const accountOf = ({ account, params }: Pick<FastifyRequest, 'account' | 'params'>): string | undefined =>
  account === '' ? textIn(params, 'merchant_account_id') : account

/** The transaction that the path names, if it names one. */
const transactionOf = (params: unknown): { transaction?: string } => {
  const id = textIn(params, 'transaction_id')
  return id !== undefined && isUuid(id) ? { transaction: id } : {}
}

function textIn(values: unknown, name: string): string | undefined {
  const value =
    typeof values === 'object' && values !== null
      ? Object.getOwnPropertyDescriptor(values, name)?.value
      : undefined
  return typeof value === 'string' ? value : undefined
}
