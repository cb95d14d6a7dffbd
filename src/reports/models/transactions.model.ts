import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { Closed, Currency, MapOf, Nullable, Words } from '../../api/schema.ts'
import { isCurrency } from '../../api/values/currency.ts'
import { TransactionPaymentSource } from '../../checkout/payment-terms.schema.ts'
import { CardScheme, Method } from '../../connectors/contract/method.schema.ts'
import { ThreeDSecureStatus } from '../../three-d-secure/three-d-secure.schema.ts'
import { TransactionStatus } from '../../transactions/transaction.schema.ts'
import { Window } from '../date-window.schema.ts'
import { type ResolvedWindow, resolveWindow, windowProblems } from '../date-window.ts'
import { type Cell, defineModel, type ReportInput } from './model.ts'
import { and, keyParameter, readByKeys, readInBatches, readKeysInOrder } from './read-rows.ts'
import {
  isErasable,
  isPersonal,
  sortableFieldNames,
  transactionFieldNames,
  transactionFields,
} from './transaction-fields.ts'

const several = <T extends Parameters<typeof Nullable>[0]>(schema: T) =>
  Type.Optional(Nullable(Type.Array(schema, { minItems: 1, maxItems: 200, uniqueItems: true })))
const flag = Type.Optional(Nullable(Type.Boolean()))

const windows = ['created_at', 'updated_at', 'authorized_at', 'captured_at', 'voided_at'] as const

const Filters = Closed('TransactionsReportFilters', {
  status: several(TransactionStatus),
  currency: several(Currency),
  method: several(Method),
  scheme: several(Nullable(CardScheme)),
  metadata: Type.Optional(Nullable(Type.Array(MapOf(Type.String()), { minItems: 1, maxItems: 50 }))),
  three_d_secure_status: several(ThreeDSecureStatus),
  three_d_secure_eci: several(Type.String({ pattern: '^0?\\d$' })),
  three_d_secure_auth_resp: several(Type.String({ minLength: 1, maxLength: 1 })),
  payment_source: several(TransactionPaymentSource),
  merchant_initiated: flag,
  is_subsequent_payment: flag,
  created_at: Window,
  updated_at: Window,
  authorized_at: Window,
  captured_at: Window,
  voided_at: Window,
})
type Filters = Static<typeof Filters>

const Params = Closed('TransactionsReportParams', {
  fields: Type.Array(Words(...transactionFieldNames), { minItems: 1, uniqueItems: true }),
  filters: Type.Optional(Nullable(Filters)),
  sort: Type.Optional(
    Nullable(
      Type.Array(Closed('ReportSort', { field: Words(...sortableFieldNames), order: Words('asc', 'desc') }), {
        maxItems: 10,
      }),
    ),
  ),
})
type Params = Static<typeof Params>

/** A row for each transaction, with the columns of `fields`. */
export const transactionsModel = defineModel(Params, {
  problems: ({ filters }) => ({
    ...Object.assign(
      {},
      ...windows.map((name) => (filters?.[name] ? windowProblems(filters[name], `/filters/${name}`) : {})),
    ),
    ...Object.fromEntries(
      (filters?.currency ?? []).flatMap((code, index) =>
        isCurrency(code) ? [] : [[`/filters/currency/${index}`, 'is not a currency']],
      ),
    ),
  }),
  // the order of the rows also shows something of the columns by which they are sorted
  isPersonal: ({ fields, sort }) => [...fields, ...(sort ?? []).map(({ field }) => field)].some(isPersonal),
  canIdentifyPeople: ({ fields }) => fields.some((field) => isPersonal(field) || isErasable(field)),
  columns: ({ fields }) => fields,
  tables: ['transactions'],
  windows: ({ filters }, { context }) =>
    windows.flatMap((name) => (filters?.[name] ? [resolveWindow(filters[name], context)] : [])),
  rows: ({ fields, filters, sort }, input) =>
    readTransactions(input, fields, conditionsOf(input, filters ?? {}), sort ?? []),
})

const anyOf = (expression: string, values: readonly string[]) =>
  sql<SqlBool>`${sql.raw(expression)} = any(${values})`

function conditionsOf({ account, context }: ReportInput, filters: Filters): RawBuilder<SqlBool>[] {
  const conditions = [sql<SqlBool>`t.merchant_account_id = ${account}`]
  const lists = [
    'status',
    'currency',
    'method',
    'payment_source',
    'three_d_secure_status',
    'three_d_secure_eci',
    'three_d_secure_auth_resp',
  ] as const
  for (const name of lists) {
    const values = filters[name]
    if (values) conditions.push(anyOf(transactionFields[name], values))
  }
  if (filters.scheme) {
    const schemes = filters.scheme.filter((scheme) => scheme !== null)
    const none =
      filters.scheme.length > schemes.length
        ? sql<SqlBool>` or ${sql.raw(transactionFields.scheme)} is null`
        : sql<SqlBool>``
    conditions.push(sql<SqlBool>`(${anyOf(transactionFields.scheme, schemes)}${none})`)
  }
  if (filters.metadata)
    conditions.push(
      sql<SqlBool>`t.metadata @> ${JSON.stringify(Object.assign({}, ...filters.metadata))}::jsonb`,
    )
  for (const name of ['merchant_initiated', 'is_subsequent_payment'] as const)
    if (typeof filters[name] === 'boolean')
      conditions.push(sql<SqlBool>`${sql.raw(transactionFields[name])} = ${filters[name]}`)
  for (const name of windows)
    conditions.push(...within(transactionFields[name], resolveWindow(filters[name], context)))
  return conditions
}

/** The conditions that a time is within a window. */
export const within = (expression: string, { from, to }: ResolvedWindow): RawBuilder<SqlBool>[] => [
  ...(from === null ? [] : [sql<SqlBool>`${sql.raw(expression)} >= ${from}::timestamptz`]),
  ...(to === null ? [] : [sql<SqlBool>`${sql.raw(expression)} <= ${to}::timestamptz`]),
]

/**
 * The order by creation has an index and never changes, so the table is read in batches. For any other order
 * the keys are read first.
 */
async function* readTransactions(
  { world, sources }: ReportInput,
  fields: Params['fields'],
  conditions: RawBuilder<SqlBool>[],
  sort: NonNullable<Params['sort']>,
): AsyncGenerator<Cell[][]> {
  const columns = fields.map((field) => transactionFields[field])
  const from = sql`${sources.transactions} t`
  const [first, ...others] = sort
  if (others.length === 0 && (!first || first.field === 'created_at')) {
    const orderColumns = [
      { expression: 't.created_at', type: 'timestamptz' } as const,
      { expression: 't.id', type: 'uuid' } as const,
    ]
    // transactions that are created meanwhile are left out, or the report might never end
    const where = [
      ...conditions,
      sql`t.created_at <= ${new Date(world.clock.now()).toISOString()}::timestamptz`,
    ]
    return yield* readInBatches(world, { columns, from, where, orderColumns, order: first?.order ?? 'asc' })
  }
  const order = sql.raw(
    [...sort.map(({ field, order }) => `${transactionFields[field]} ${order} nulls last`), 't.id'].join(', '),
  )
  const keysInOrder = await readKeysInOrder(
    world,
    ['id'],
    sql`select t.id from ${from} where ${and(conditions)} order by ${order}`,
  )
  const only = (keys: string[][]) => [...conditions.slice(0, 1), sql`t.id = any(${keyParameter(keys, 0)})`]
  yield* readByKeys(world, keysInOrder, { columns, from, id: 't.id', only })
}
