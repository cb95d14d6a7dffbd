import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import { type MovedClocks, runInAccountTime, runUntilAccountKnown } from '../../base/account-clock.ts'
import type { PendingRequest } from '../../base/pending-requests.ts'
import type { App } from '../app.ts'
import type { Actor } from '../auth/caller.ts'
import { isUuid } from '../server/validation.ts'
import { clientAddress } from './client-address.ts'

/** The request that is being answered, for what is written about it on the way: the audit log, log lines, traces. */
export interface RequestContext {
  id: string
  /** Who asks; absent on operations that need no bearer. */
  actor: Actor | undefined
  /** The client's network address; absent on the command line. */
  address?: string
  /** The transaction that it is about, from when that is known. */
  transaction?: string
  /** Among the requests that this process has taken on. */
  pendingRequest?: PendingRequest
}

const requestContexts = new AsyncLocalStorage<RequestContext>()

/** Undefined outside of requests: jobs act for nobody. */
export const currentRequest = (): RequestContext | undefined => requestContexts.getStore()

/** Does `work` as this request, also what it does later. */
export const runAsRequest = <T>(context: RequestContext, work: () => T): T => requestContexts.run(context, work)

/** What is written about the request from now on names this transaction. */
export function setRequestTransaction(id: string): void {
  const context = currentRequest()
  if (context) context.transaction = id
}

/** Waits for somebody else: meanwhile this process has nothing to do for the request. */
export async function whileRequestPaused<T>(work: () => Promise<T>): Promise<T> {
  const place = currentRequest()?.pendingRequest
  place?.pause()
  try {
    return await work()
  } finally {
    place?.resume()
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null until the caller is known and the body is read. */
    context: RequestContext | null
  }
}

/** From where the caller is known and the body is read, the handler runs with its request's context, and in the time of its merchant account. */
export function provideRequestContext(app: App, movedClocks: () => Promise<MovedClocks>): void {
  app.decorateRequest('context', null)
  app.addHook('preHandler', (request, _reply, done) => {
    request.context = {
      id: request.id,
      actor: request.caller?.actor,
      address: clientAddress(request),
      ...(request.place && { pendingRequest: request.place }),
      ...transactionOf(request.params),
    }
    requestContexts.run(request.context, done)
  })
  app.addHook('preHandler', (request, _reply, done) => {
    const account = accountOf(request)
    const goOn = (moved: MovedClocks, its: string) => (moved.size === 0 ? done() : runInAccountTime(moved, its, done))
    // nobody's clock is asked for: whether the database is there must be answered without it
    if (account === undefined) runUntilAccountKnown(done)
    else movedClocks().then((moved) => goOn(moved, account), done)
  })
}

/** That of the caller, or that which the path names. Not the query: whoever guesses a password must not choose the time in which guesses are counted. */
const accountOf = ({ account, params }: Pick<FastifyRequest, 'account' | 'params'>): string | undefined =>
  account === '' ? textIn(params, 'merchant_account_id') : account

/** The path names it, as a rule. */
const transactionOf = (params: unknown): { transaction?: string } => {
  const id = textIn(params, 'transaction_id')
  return id !== undefined && isUuid(id) ? { transaction: id } : {}
}

function textIn(values: unknown, name: string): string | undefined {
  const value = typeof values === 'object' && values !== null ? Object.getOwnPropertyDescriptor(values, name)?.value : undefined
  return typeof value === 'string' ? value : undefined
}
