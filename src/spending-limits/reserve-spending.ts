import type { Actor } from '../api/auth/caller.ts'
import { ApiError, type Detail } from '../api/errors.ts'
import { currentRequest } from '../api/request/request-context.ts'
import type { ExceededLimit } from '../operations/journal/spending.ts'
import type { SpendingReservation } from '../operations/operation.ts'
import type { World } from '../world.ts'
import type { LimitedOperation } from './spending-limit.schema.ts'
import { spendingDay } from './spending-limit.store.ts'

/** An operation that a client asks for. */
export interface SpendingRequest {
  account: string
  operation: LimitedOperation
  /** In the smallest unit of the currency. */
  amount: number
  currency: string
  /** Undefined or null: the payment has no stored buyer. */
  buyerId: string | null | undefined
}

/** Where limits are read: after `LIMIT_GONE` in the database, since the cache may still have the one that is gone. */
export type LimitsFrom = 'cache' | 'database'

/** What all payments without a stored buyer count as. */
const NO_BUYER = 'none'

type LimitedCaller = Pick<Actor, 'type' | 'id'>

/** True while a request executes an approved proposal: others have approved what is beyond the limit. */
const isApprovedProposal = (): boolean => currentRequest()?.proposal !== undefined

/**
 * What an operation reserves of the spending limit of the current request's caller, for the statement that
 * intends it. Undefined: nothing limits the caller, or an approved proposal is executed, or background work
 * acts. Throws 403 for a currency that none of the caller's limits of this operation has.
 */
export async function spendingReservation(
  world: World,
  { account, operation, amount, currency, buyerId }: SpendingRequest,
  from: LimitsFrom,
): Promise<SpendingReservation | undefined> {
  const actor = currentRequest()?.actor
  if (!actor || isApprovedProposal()) return undefined
  const limits = await (from === 'cache' ? cachedLimits(world, account) : readLimits(world, account))
  const own = limits.get(subjectKey(actor))
  const ofOperation = own?.filter((limit) => limit.operation === operation)
  if (!ofOperation || ofOperation.length === 0) return undefined
  const limit = ofOperation.find((each) => each.currency === currency)
  if (!limit) throw currencyNotLimited(operation, currency)
  return {
    spending_limit_id: limit.id,
    day: spendingDay(world),
    buyer: buyerId ?? NO_BUYER,
    amount,
  }
}

interface CachedLimit {
  id: string
  operation: string
  currency: string
}

const subjectKey = ({ type, id }: LimitedCaller) => `${type} ${id}`

type LimitsBySubject = ReadonlyMap<string, readonly CachedLimit[]>

/**
 * Which limits there are, by their subject. The statement that intends an operation reads their amounts, so
 * that a limit that was lowered holds at once, and refuses a limit that is gone.
 */
const cachedLimits = (world: World, account: string): Promise<LimitsBySubject> =>
  world.cache.get('spending_limits', account, () => readLimits(world, account))

async function readLimits(world: World, account: string): Promise<LimitsBySubject> {
  const rows = await world.db
    .selectFrom('spending_limits')
    .select(['id', 'subject_type', 'subject_id', 'operation', 'currency'])
    .where('merchant_account_id', '=', account)
    .execute()
  return Map.groupBy(rows, ({ subject_type: type, subject_id: id }) => subjectKey({ type, id }))
}

const proposable = 'The same request may be proposed for approval: POST /proposals'

const currencyNotLimited = (operation: LimitedOperation, currency: string) =>
  new ApiError(
    403,
    'spending_limit_exceeded',
    `Your spending limits of the operation ${operation} have none in ${currency}. ${proposable}`,
  )

/** 403: the operation would exceed the caller's spending limit. `details` has each limit that it would exceed. */
export function spendingLimitExceeded(exceeded: ExceededLimit): ApiError {
  const { id, operation, currency, day, amount } = exceeded
  const details = [
    detail('per_operation', exceeded.per_operation, amount, 0),
    detail('per_day', exceeded.per_day, amount, exceeded.used),
    detail('per_buyer_per_day', exceeded.per_buyer_per_day, amount, exceeded.used_for_buyer),
    detail('count_per_day', exceeded.count_per_day, 1, exceeded.count),
  ].flat()
  const reasons = details.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; ')
  return new ApiError(
    403,
    'spending_limit_exceeded',
    `The operation ${operation} of ${amount} ${currency} on ${day} exceeds your spending limit: ${reasons}. ${proposable}`,
    { details, resourceId: id },
  )
}

function detail(name: string, limit: number | null, added: number, used: number): Detail[] {
  if (limit === null || used + added <= limit) return []
  const remaining = Math.max(0, limit - used)
  return [
    {
      location: 'body',
      pointer: `/${name}`,
      message: `limit ${limit}, used ${used}, remaining ${remaining}`,
      type: 'spending_limit',
    },
  ]
}
