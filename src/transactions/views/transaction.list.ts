import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { badRequest } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import {
  Currency,
  FilterAmount,
  Nullable,
  Personal,
  pageQuery,
  Text,
  Timestamp,
  Uuid,
} from '../../api/schema.ts'
import { isStorable } from '../../api/server/validation.ts'
import { uuidOfReconciliationId } from '../../api/values/reconciliation-id.ts'
import { isUuid } from '../../api/values/uuid.ts'
import { hasBuyerData, hasEmailAddress } from '../../buyers/buyer-search.ts'
import { TransactionPaymentSource } from '../../checkout/payment-terms.schema.ts'
import { Method } from '../../connectors/contract/method.schema.ts'
import type { TransactionTable } from '../../database/tables/payments.ts'
import type { Tables } from '../../database/tables.ts'
import { SHOWN_BIN_DIGITS, shownBin } from '../../vault/cards/card.ts'
import { toStoredFingerprint } from '../../vault/cards/card-fingerprint.ts'
import type { World } from '../../world.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { TransactionStatus } from '../transaction.schema.ts'
import { hasOutcome, narrowByCreation, type TransactionSelection } from './creation-window.ts'

const optional = <T extends Parameters<typeof Nullable>[0]>(schema: T) => Type.Optional(Nullable(schema))
const several = <T extends Parameters<typeof Nullable>[0]>(schema: T) =>
  Type.Optional(Nullable(Type.Array(schema)))
const Value = Type.String()

/**
 * Every filter of `GET /transactions` (semantics §3.8). Values of one filter are alternatives; different
 * filters all apply.
 */
export const TransactionQuery = Type.Object(
  {
    ...pageQuery(),
    created_at_lte: optional(Timestamp),
    created_at_gte: optional(Timestamp),
    updated_at_lte: optional(Timestamp),
    updated_at_gte: optional(Timestamp),
    search: optional(Value),
    buyer_external_identifier: optional(Value),
    buyer_id: optional(Uuid),
    buyer_email_address: optional(Personal(Value)),
    ip_address: optional(Personal(Value)),
    status: several(TransactionStatus),
    id: optional(Uuid),
    payment_service_transaction_id: optional(Value),
    external_identifier: optional(Value),
    metadata: several(Value),
    amount_eq: optional(FilterAmount),
    amount_lte: optional(FilterAmount),
    amount_gte: optional(FilterAmount),
    currency: several(Currency),
    country: several(Value),
    payment_service_id: several(Uuid),
    payment_method_id: optional(Uuid),
    payment_method_label: optional(Value),
    payment_method_scheme: several(Value),
    payment_method_country: optional(Value),
    payment_method_fingerprint: optional(Value),
    method: several(Method),
    error_code: several(Value),
    has_refunds: optional(Type.Boolean()),
    has_unknown_operations: optional(Type.Boolean()),
    pending_review: optional(Type.Boolean()),
    checkout_session_id: optional(Uuid),
    payment_link_id: optional(Uuid),
    reconciliation_id: optional(Value),
    has_gift_card_redemptions: optional(Type.Boolean()),
    gift_card_id: optional(Uuid),
    gift_card_last4: optional(Text(4, 4)),
    has_settlements: optional(Type.Boolean()),
    payment_method_bin: optional(Value),
    payment_source: several(TransactionPaymentSource),
    is_subsequent_payment: optional(Type.Boolean()),
    merchant_initiated: optional(Type.Boolean()),
    used_3ds: optional(Type.Boolean()),
    disputed: optional(Type.Boolean()),
    reauthorized_from_transaction_id: optional(Uuid),
    buyer_search: optional(Personal(Type.Array(Value))),
  },
  { additionalProperties: false },
)
export type TransactionQuery = Static<typeof TransactionQuery>

type Filters = Omit<TransactionQuery, 'cursor' | 'limit'>
type Builder = ExpressionBuilder<Tables, 'transactions'>
type Condition = ReturnType<typeof sql<SqlBool>>

const matchesNothing = sql<SqlBool>`false`
/**
 * Payments show the first six digits of a card. A filter that compared more would reveal the other digits one
 * by one.
 */
const firstDigits = /^\d{6,8}$/

const inSearch = (text: string) => {
  const reconciled = uuidOfReconciliationId(text)
  return sql<SqlBool>`(
  external_identifier = ${text}
  or payment_service_transaction_id = ${text}
  or buyer->>'external_identifier' = ${text}
  ${reconciled ? sql`or id = ${reconciled}` : sql``}
  ${isUuid(text) ? sql`or id = ${text} or buyer->>'id' = ${text.toLowerCase()}` : sql``})`
}

const equals = (column: string) => (value: unknown) => sql<SqlBool>`${sql.ref(column)} = ${value}`
/**
 * One value is compared with `=`: an index that continues with `updated_at` then returns its rows in the
 * list's order, which it does not with `any`.
 */
const anyOf = (column: string) => (values: readonly unknown[]) =>
  values.length === 1
    ? sql<SqlBool>`${sql.ref(column)} = ${values[0]}`
    : sql<SqlBool>`${sql.ref(column)} = any(${values})`
const equalsExpression = (expression: string) => (value: unknown) =>
  sql<SqlBool>`${sql.raw(expression)} = ${value}`
const compare = (column: string, operator: '<=' | '>=') => (value: unknown) =>
  sql<SqlBool>`${sql.ref(column)} ${sql.raw(operator)} ${value}`
const whether = (condition: Condition) => (wanted: boolean) =>
  wanted ? condition : sql<SqlBool>`not (${condition})`

const paidByGiftCard = (gift_card: { id: string } | { last4: string }) =>
  sql<SqlBool>`gift_cards @> ${JSON.stringify({ redemptions: [{ gift_card }] })}::jsonb`

/** Without a pair the filter matches every payment, also one whose metadata is null. */
const hasMetadata = (pairs: Record<string, string>) =>
  Object.keys(pairs).length > 0
    ? sql<SqlBool>`metadata @> ${JSON.stringify(pairs)}::jsonb`
    : sql<SqlBool>`true`

/**
 * The journal says whether a gift card was refunded. The refunded amount of a redemption does not: it also
 * counts the compensation of a failed payment, which is no refund.
 */
const wasRefunded = sql<SqlBool>`(refunded_amount > 0 or gift_cards is not null and exists (
  select from operations
   where operations.merchant_account_id = transactions.merchant_account_id
     and operations.transaction_id = transactions.id
     and operations.kind = 'gift-card-refund'
     and operations.status = 'approved'
     and operations.late_failure is null))`

/**
 * The ids come first, from the few operations whose outcome is unknown (`operations_unknown`), however many
 * payments there are, and whatever PostgreSQL believes of the numbers of both.
 */
const hasUnknownOperation = (account: string) =>
  sql<SqlBool>`transactions.id = any(array(
  select transaction_id
    from operations
   where operations.merchant_account_id = ${account}
     and operations.status = 'unknown'))`

/** The SQL condition of each filter. */
const conditions: {
  [Name in keyof Filters]-?: (value: NonNullable<Filters[Name]>, account: string) => Condition
} = {
  created_at_lte: compare('created_at', '<='),
  created_at_gte: compare('created_at', '>='),
  updated_at_lte: compare('updated_at', '<='),
  updated_at_gte: compare('updated_at', '>='),
  search: inSearch,
  buyer_external_identifier: equalsExpression(`buyer->>'external_identifier'`),
  buyer_id: equalsExpression(`buyer->>'id'`),
  buyer_email_address: (address) => hasEmailAddress('transactions.buyer', address),
  ip_address: equals('ip_address'),
  status: anyOf('status'),
  id: equals('id'),
  payment_service_transaction_id: equals('payment_service_transaction_id'),
  external_identifier: equals('external_identifier'),
  metadata: (values) => hasMetadata(Object.assign({}, ...values.map(readMetadata))),
  amount_eq: equals('amount'),
  amount_lte: compare('amount', '<='),
  amount_gte: compare('amount', '>='),
  currency: anyOf('currency'),
  country: anyOf('country'),
  payment_service_id: (values) => sql<SqlBool>`payment_service_id = any(${values}::uuid[])`,
  payment_method_id: equalsExpression(`payment_method->>'id'`),
  payment_method_label: equalsExpression(`payment_method->>'label'`),
  payment_method_scheme: (values) => sql<SqlBool>`payment_method->>'scheme' = any(${values})`,
  payment_method_country: equalsExpression(
    `coalesce(payment_method->>'country', payment_method->>'issuer_country')`,
  ),
  // the first condition is the index's, to the letter
  payment_method_fingerprint: (shown) =>
    sql<SqlBool>`(substr(payment_method->>'fingerprint', 3, 12) = ${toStoredFingerprint(shown).slice(2, 14)}
                  and payment_method->>'fingerprint' = ${toStoredFingerprint(shown)})`,
  method: anyOf('method'),
  error_code: anyOf('error_code'),
  has_refunds: whether(wasRefunded),
  has_unknown_operations: (wanted, account) => whether(hasUnknownOperation(account))(wanted),
  pending_review: equals('pending_review'),
  checkout_session_id: equals('checkout_session_id'),
  payment_link_id: equals('payment_link_id'),
  reconciliation_id: (value) => {
    const id = uuidOfReconciliationId(value)
    return id ? sql<SqlBool>`id = ${id}` : matchesNothing
  },
  has_gift_card_redemptions: whether(sql<SqlBool>`gift_cards is not null`),
  gift_card_id: (id) => paidByGiftCard({ id }),
  gift_card_last4: (last4) => paidByGiftCard({ last4 }),
  has_settlements: equals('settled'),
  payment_method_bin: (bin) =>
    firstDigits.test(bin)
      ? sql<SqlBool>`left(payment_method->>'bin', ${SHOWN_BIN_DIGITS}) = ${shownBin(bin)}`
      : matchesNothing,
  payment_source: anyOf('payment_source'),
  is_subsequent_payment: equals('is_subsequent_payment'),
  merchant_initiated: equals('merchant_initiated'),
  used_3ds: whether(sql<SqlBool>`three_d_secure is not null`),
  disputed: equals('disputed'),
  reauthorized_from_transaction_id: equals('reauthorized_from_transaction_id'),
  buyer_search: (values) => hasBuyerData('transactions.buyer', values),
}

/** Most indexes leave out payments without an outcome, which are few and have an index of their own. */
const isProcessing = sql<SqlBool>`status = 'processing'`

const isStorableText = (value: unknown) => typeof value === 'string' && isStorable(value)

/**
 * Whether the filter on the status leaves such payments. PostgreSQL would start parallel workers for a part that asks
 * for two statuses at once: 20 ms for nothing.
 */
const mayHaveStatus = ({ status }: Filters, isWanted: (status: TransactionStatus) => boolean): boolean =>
  !status || status.length === 0 || status.some(isWanted)

/**
 * A value of the metadata filter: a JSON object of strings. All pairs must match; of equal keys the last
 * wins. Throws 400 for anything else.
 */
function readMetadata(text: string): Record<string, string> {
  try {
    const pairs: unknown = JSON.parse(text)
    if (
      typeof pairs === 'object' &&
      pairs !== null &&
      !Array.isArray(pairs) &&
      Object.entries(pairs).every((pair) => pair.every(isStorableText))
    ) {
      return pairs as Record<string, string>
    }
  } catch {
    // refused below
  }
  throw badRequest('Request failed validation', [
    {
      location: 'query',
      pointer: 'metadata',
      message: 'must be a JSON object of strings',
      type: 'value_error',
    },
  ])
}

function applyFilters(query: TransactionSelection, filters: Filters, account: string): TransactionSelection {
  let filtered = query
  for (const [name, value] of Object.entries(filters)) {
    const condition = conditions[name as keyof Filters] as
      | ((value: unknown, account: string) => Condition)
      | undefined
    if (condition && value !== null && value !== undefined)
      filtered = filtered.where(condition(value, account))
  }
  return filtered
}

/**
 * Up to `limit + 1` transactions of the account beyond the page's position, the most recently updated first;
 * on the way to a previous page, the least recently updated first.
 */
export async function listTransactions(
  world: World,
  account: string,
  filters: Filters,
  { limit, position }: PageRequest,
): Promise<TransactionRow[]> {
  const backwards = position?.direction === 'previous'
  const order = backwards ? 'asc' : 'desc'
  const ofAccount: TransactionSelection = world.db
    .selectFrom('transactions')
    .where('merchant_account_id', '=', account)
  const beyondPosition = position
    ? ofAccount.where(({ eb, refTuple, tuple }: Builder) =>
        eb(refTuple('updated_at', 'id'), backwards ? '>' : '<', tuple(position.key, position.id)),
      )
    : ofAccount
  const matching = applyFilters(beyondPosition, filters, account)
  const decided = matching.where(hasOutcome)
  const ids = narrowByCreation(world, { account, filters, decided, order, limit: limit + 1 })
  const parts = [
    ...(mayHaveStatus(filters, (status) => status !== 'processing')
      ? [ids ? ofAccount.where('id', 'in', ids) : decided]
      : []),
    ...(mayHaveStatus(filters, (status) => status === 'processing') ? [matching.where(isProcessing)] : []),
  ]
  const firstOf = (query: TransactionSelection) =>
    query
      .select(['updated_at', 'id', sql<unknown>`transactions`.as('row')])
      .orderBy('updated_at', order)
      .orderBy('id', order)
      .limit(limit + 1)
  // rows become JSON after the limit: it takes 0.02 ms each, and a sort would convert every matching row
  const rows = await world.db
    .selectFrom(
      sql<Pick<TransactionTable, 'updated_at' | 'id'>>`(${sql.join(
        parts.map((part) => sql`(${firstOf(part)})`),
        sql` union all `,
      )})`.as('first'),
    )
    .select(sql<TransactionRow>`row_to_json("row")`.as('transaction'))
    .orderBy('updated_at', order)
    .orderBy('id', order)
    .limit(limit + 1)
    .execute()
  return rows.map((row) => row.transaction)
}
