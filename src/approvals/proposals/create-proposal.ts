import { createHash } from 'node:crypto'
import type { App } from '../../api/app.ts'
import type { Caller } from '../../api/auth/caller.ts'
import { type ApiErrorCode, apiErrorCodes } from '../../api/error-codes.ts'
import { ApiError, badRequest, type Detail, duplicateRecord, serverError } from '../../api/errors.ts'
import {
  type CheckedRequest,
  type InnerAnswer,
  type InnerRequest,
  sendInnerRequest,
} from '../../api/request/inner-requests.ts'
import { InvalidShape, type ShapeError } from '../../api/server/validation.ts'
import { canonicalJson } from '../../api/values/canonical-json.ts'
import { isJsonObject } from '../../api/values/json-object.ts'
import { timeOf } from '../../base/clock.ts'
import { requireValidKey } from '../../database/idempotency-key.ts'
import type { World } from '../../world.ts'
import { openForHours, policiesOf, requirementsOf } from '../requirements.ts'
import type { ProposalRow } from './proposal.row.ts'
import type { ProposalCreate } from './proposal.schema.ts'
import { recordProposalChange, recordProposalEvent } from './proposal.store.ts'

const HOUR_MS = 3_600_000

/** Whose request it is, and for which account. */
export interface Proposer {
  caller: Caller
  account: string
}

/**
 * Stores a request until it is decided. The server itself checks it first, as if the caller had sent it: throws
 * what the operation would answer to a wrong one. `key` is the idempotency key of the proposal itself.
 */
export async function createProposal(
  world: World,
  app: App,
  { caller, account }: Proposer,
  { method, path, body, reason }: ProposalCreate,
  key: string | undefined,
): Promise<ProposalRow> {
  requireValidKey(key)
  const checked = await checkRequest(app, { caller, account }, { method, path, body: body ?? undefined })
  const { operations, target, terms } = checked
  // otherwise an account without policies could decide on what the policies of another one protect
  if (checked.account !== account)
    throw badRequest(
      `The policies of the merchant account ${checked.account} apply to this request: propose it there, with x-svc-merchant-account-id`,
    )
  const policies = await policiesOf(world, account, operations, target)
  const id = world.ids.next()
  const now = timeOf(world.clock)
  const stored = checked.body ?? null
  const hash = hashOf(method, checked.path, stored)
  const { actor, token } = caller
  const shown =
    isJsonObject(stored) && ((await terms.shownBody?.(stored, { world, account, target })) ?? stored)
  const values = {
    merchant_account_id: account,
    id,
    status: 'pending' as const,
    requester_type: actor.type,
    requester_id: actor.id,
    requester_name: actor.name,
    requester_email_address: actor.emailAddress,
    token_scopes: token ? [...token.scopes] : null,
    idempotency_key: key ?? null,
    method,
    path: checked.path,
    body:
      stored === null ? null : world.cipher.seal('proposal-body', JSON.stringify(stored), `${account}/${id}`),
    shown_body: shown ? JSON.stringify(shown) : null,
    hash,
    reason,
    operations: [...operations],
    resource_type: target.resource?.type ?? null,
    resource_id: target.resource?.id ?? null,
    // approvers see what leaves in all: the refunds of a payment count together
    amount: target.money && target.money.amount + (target.countedBefore ?? 0),
    currency: target.money?.currency ?? null,
    preconditions: JSON.stringify(target.preconditions),
    requirements: JSON.stringify(requirementsOf(policies)),
    expires_at: new Date(world.clock.now() + openForHours(policies) * HOUR_MS).toISOString(),
    created_at: now,
    updated_at: now,
  }
  const created = await world.db.transaction().execute(async (db) => {
    const row = await db
      .insertInto('proposals')
      .values(values)
      .onConflict((conflict) =>
        conflict
          .columns(['merchant_account_id', 'requester_id', 'idempotency_key'])
          .where('idempotency_key', 'is not', null)
          .doNothing(),
      )
      .returningAll()
      .executeTakeFirst()
    if (!row) return undefined
    await recordProposalChange(db, world, 'created', row, `${method} ${checked.path}`)
    await recordProposalEvent(db, world, 'created', row)
    return row
  })
  return created ?? (await proposedBefore(world, account, actor.id, { key, hash }))
}

/** The proposal that the caller has made under this key. Throws 409 if it is another request. */
async function proposedBefore(
  { db }: World,
  account: string,
  requester: string,
  { key, hash }: { key: string | undefined; hash: Buffer },
): Promise<ProposalRow> {
  const row = await db
    .selectFrom('proposals')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('requester_id', '=', requester)
    .where('idempotency_key', '=', key ?? '')
    .executeTakeFirstOrThrow()
  if (!row.hash.equals(hash))
    throw duplicateRecord(row.id, 'Another proposal with this idempotency key has a different request')
  return row
}

/** What a decision is about: the same for the same request, however it is written. */
const hashOf = (method: string, path: string, body: unknown): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([method, path, canonicalJson(body)]))
    .digest()

/** Lets the server check a request as the caller's, up to its operation. Throws the error that it answers. */
export async function checkRequest(
  app: App,
  { caller, account }: Proposer,
  request: { method: string; path: string; body: unknown },
): Promise<CheckedRequest> {
  const inner: InnerRequest = { caller, kind: 'check' }
  const answer = await sendInnerRequest(app, inner, { account, ...request })
  if (inner.checked) return inner.checked
  throw errorOf(answer)
}

/** The error that an answer holds; pointers into its body are pointers into the body of the proposal. */
function errorOf({ status, body }: InnerAnswer): Error {
  if (status === 422 && isJsonObject(body) && Array.isArray(body['detail']))
    return new InvalidShape(
      (body['detail'] as ShapeError[]).map((each) =>
        each.loc[0] === 'body' ? { ...each, loc: ['body', ...each.loc] } : each,
      ),
    )
  if (!isJsonObject(body) || !isErrorCode(body['code'])) return serverError()
  const details = Array.isArray(body['details']) ? (body['details'] as Detail[]) : []
  return new ApiError(status, body['code'], String(body['message']), {
    details: details.map((detail) =>
      detail.location === 'body' ? { ...detail, pointer: `/body${detail.pointer}` } : detail,
    ),
  })
}

const isErrorCode = (code: unknown): code is ApiErrorCode => typeof code === 'string' && code in apiErrorCodes
