import { type Static, Type } from 'typebox'
import {
  CalendarDate,
  Closed,
  Currency,
  Described,
  Nullable,
  Page,
  Timestamp,
  Uuid,
  Words,
} from '../api/schema.ts'

/** What limits are about. */
export const limitedOperations = ['refund', 'payout', 'capture', 'void'] as const
export type LimitedOperation = (typeof limitedOperations)[number]

const MAX_AMOUNT = 999_999_999_999
const MAX_COUNT = 1_000_000

const LimitAmount = Nullable(Type.Integer({ minimum: 0, maximum: MAX_AMOUNT }))
const limits = {
  per_operation: Described(LimitAmount, 'The largest amount of one operation; null: not limited'),
  per_day: Described(LimitAmount, 'The largest sum of a day in UTC; null: not limited'),
  per_buyer_per_day: Described(
    LimitAmount,
    'The largest sum of a day for one buyer; payments without a stored buyer count together. Null: not limited',
  ),
  count_per_day: Described(
    Nullable(Type.Integer({ minimum: 0, maximum: MAX_COUNT })),
    'The largest number of operations of a day; null: not limited',
  ),
}

const subjectFields = {
  type: Words('api-key-pair', 'user'),
  id: Uuid,
}

export const SpendingLimitSubject = Closed('SpendingLimitSubject', {
  ...subjectFields,
  name: Described(Type.String(), 'The name of the key pair or of the person'),
})

const operation = Described(
  Words(...limitedOperations),
  'What is limited: refunds also to gift cards; voids with cancellations',
)

export const SpendingLimit = Closed('SpendingLimit', {
  type: Type.Literal('spending-limit'),
  id: Uuid,
  merchant_account_id: Type.String(),
  subject: SpendingLimitSubject,
  operation,
  currency: Currency,
  ...limits,
  today: Closed('SpendingLimitUsage', {
    day: Described(CalendarDate, 'The day, in UTC'),
    used: Described(Type.Integer(), 'The sum of its operations that have not failed'),
    remaining: Described(Nullable(Type.Integer()), 'What is left of `per_day`; null: not limited'),
    count: Described(Type.Integer(), 'The number of these operations'),
    remaining_count: Described(
      Nullable(Type.Integer()),
      'How many more `count_per_day` allows; null: not limited',
    ),
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type SpendingLimit = Static<typeof SpendingLimit>

export const SpendingLimits = Page('SpendingLimits', SpendingLimit)
export const OwnSpendingLimits = Closed('OwnSpendingLimits', { items: Type.Array(SpendingLimit) })

export const SpendingLimitCreate = Closed('SpendingLimitCreate', {
  subject: Closed('SpendingLimitSubjectReference', subjectFields),
  operation,
  currency: Currency,
  per_operation: Type.Optional(limits.per_operation),
  per_day: Type.Optional(limits.per_day),
  per_buyer_per_day: Type.Optional(limits.per_buyer_per_day),
  count_per_day: Type.Optional(limits.count_per_day),
})
export type SpendingLimitCreate = Static<typeof SpendingLimitCreate>

export const SpendingLimitUpdate = Closed('SpendingLimitUpdate', {
  per_operation: Type.Optional(limits.per_operation),
  per_day: Type.Optional(limits.per_day),
  per_buyer_per_day: Type.Optional(limits.per_buyer_per_day),
  count_per_day: Type.Optional(limits.count_per_day),
})
export type SpendingLimitUpdate = Static<typeof SpendingLimitUpdate>
