import type { FastifyRequest } from 'fastify'
import type { App } from '../api/app.ts'
import { approvalRequired, badRequest, changedMeanwhile } from '../api/errors.ts'
import type { InnerRequest } from '../api/request/inner-requests.ts'
import { canonicalPath } from '../api/request/request-path.ts'
import type { ApprovalBounds, PreconditionChange } from '../api/values/approval-target.ts'
import { findStoredRequest } from '../database/idempotency-key.ts'
import type { World } from '../world.ts'
import { assess, governingAccount } from './requirements.ts'

/**
 * Refuses requests that need approval, once the caller, the account and the shape of the request are checked. A
 * request of an approved proposal goes on; one that is only checked for a proposal ends here.
 */
export function requireApproval(app: App, world: World): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { approval } = request.routeOptions.config
    if (!approval && !request.inner) return done()
    const passes = request.inner ? passInner(world, request, request.inner) : refuseUnapproved(world, request)
    passes.then((goesOn) => (goesOn ? done() : void reply.code(204).send()), done)
  })
}

async function refuseUnapproved(world: World, request: FastifyRequest): Promise<true> {
  const { approval } = request.routeOptions.config
  if (!approval) return true
  const { policies, within } = await assess(world, request, approval)
  if (policies.length > 0) {
    if (!(await isRepetition(world, request))) throw approvalRequired(policies)
  } else if (within.length > 0) {
    setApprovalBounds(request, {
      upTo: Math.min(...within.map(({ upTo }) => upTo)),
      before: null,
      refusal: () => approvalRequired(within.map(({ policy }) => policy)),
    })
  }
  return true
}

/** The statement that intends the operation keeps the bounds: other requests may come in between. */
function setApprovalBounds({ context }: FastifyRequest, bounds: ApprovalBounds): void {
  if (context) context.approvalBounds = bounds
}

const changedSinceProposed = () => changedMeanwhile('What the proposal is about has changed')

/** Whether a request with this idempotency key was done before: repeating it gets its answer, and has no effect. */
async function isRepetition(world: World, request: FastifyRequest): Promise<boolean> {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string') return false
  const scope = `${request.method} ${canonicalPath(request)}`
  return (await findStoredRequest(world, { account: request.account, scope, key })) !== undefined
}

/** False: the request was only to be checked. */
async function passInner(world: World, request: FastifyRequest, inner: InnerRequest): Promise<boolean> {
  const terms = request.routeOptions.config.approval
  const operations = terms?.operations(request) ?? []
  if (!terms || operations.length === 0)
    throw badRequest('This request never needs approval, and cannot be proposed: send it to its own path')
  if (inner.kind === 'check') {
    terms.refuseProposal?.(request)
    const target = await terms.target(world, request)
    inner.checked = {
      terms,
      account: governingAccount(request),
      path: canonicalPath(request),
      body: request.body,
      operations,
      target,
    }
    return false
  }
  inner.answersCredential = terms.answersCredential === true
  if (inner.preconditions) {
    const { money, preconditions: present, countedBefore } = await terms.target(world, request)
    inner.changes = changesBetween(inner.preconditions, present)
    if (inner.changes.length > 0) throw changedSinceProposed()
    if (request.context) request.context.approvedPreconditions = present
    setApprovalBounds(request, {
      upTo: money && (countedBefore ?? 0) + money.amount,
      before: countedBefore ?? null,
      refusal: changedSinceProposed,
    })
  }
  return true
}

type Preconditions = Record<string, PreconditionChange['was']>

/** The members that are different now. */
export const changesBetween = (before: Preconditions, present: Preconditions): PreconditionChange[] =>
  [...new Set([...Object.keys(before), ...Object.keys(present)])]
    .map((member) => ({ member, was: before[member] ?? null, is: present[member] ?? null }))
    .filter(({ was, is }) => was !== is)
