import { duplicateRecord, invalid } from '../../api/errors.ts'
import type { PageRequest } from '../../api/pagination.ts'
import { timeOf } from '../../base/clock.ts'
import { type BuyerRow, buyersOf } from '../../buyers/buyer.store.ts'
import {
  type AuditAction,
  type AuditedChange,
  changeWithAudit,
  recordChange,
} from '../../database/logs/audit-log.ts'
import { recordEvent } from '../../database/logs/outbox.ts'
import { newestFirst } from '../../database/rows/newest-first.ts'
import { writeChanges } from '../../database/rows/write-changes.ts'
import { withSharedCommit } from '../../database/statements.ts'
import type { World } from '../../world.ts'
import { deleteDependents } from './delete-dependents.ts'
import { showPaymentMethod } from './payment-method.representation.ts'
import type { PaymentMethodRow } from './payment-method.row.ts'
import type { PaymentMethod, PaymentMethodStatus, PaymentMethodUpdate } from './payment-method.schema.ts'
import { isTokenOnly } from './token-method.ts'

export interface PaymentMethodFilter {
  buyerId: string | null
  buyerExternalIdentifier: string | null
  /** Empty: every status. */
  status: readonly PaymentMethodStatus[]
  externalIdentifier: string | null
}

const storedMethods = ({ db }: Pick<World, 'db'>, account: string) =>
  db
    .selectFrom('payment_methods')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('provisional', '=', false)

const byId = 'select * from payment_methods where merchant_account_id = $1 and id = $2 and not provisional'

/**
 * Undefined: the account has no such payment method. One that a payment under way may store, a provisional
 * one, is not found.
 */
export async function findPaymentMethodRow(
  { run }: Pick<World, 'run'>,
  account: string,
  id: string,
): Promise<PaymentMethodRow | undefined> {
  const [row] = await run<PaymentMethodRow>(byId, [account, id])
  return row
}

/** Read beside the payments of the same moment, in their round trip. */
const selectWithBuyer = withSharedCommit(`
select p.*, to_jsonb(b) as buyer
  from payment_methods p
  left join buyers b
    on b.merchant_account_id = p.merchant_account_id
   and b.id = p.buyer_id
 where p.merchant_account_id = $1
   and p.id = $2
   and not p.provisional`)

/** A payment method for a payment and its buyer, in one statement, since every such payment needs both. */
export async function findMethodAndBuyer(
  { run }: Pick<World, 'run'>,
  account: string,
  id: string,
): Promise<{ row: PaymentMethodRow; buyer: BuyerRow | null } | undefined> {
  const [found] = await run<PaymentMethodRow & { buyer: BuyerRow | null }>(selectWithBuyer, [account, id])
  if (!found) return undefined
  const { buyer, ...row } = found
  return { row, buyer }
}

export async function findPaymentMethod(
  world: World,
  account: string,
  id: string,
): Promise<PaymentMethod | undefined> {
  const row = await findPaymentMethodRow(world, account, id)
  return row && showPaymentMethod(row, await buyerOfMethod(world, row))
}

/**
 * The buyer of a payment method; undefined: it has none. `db` may be a database transaction; then no other
 * statement may run at the same time, as the embedded database has one session.
 */
export async function buyerOfMethod(
  world: Pick<World, 'db'>,
  row: PaymentMethodRow,
): Promise<BuyerRow | undefined> {
  const buyers = await buyersOf(world, row.merchant_account_id, [row])
  return buyers.get(row.buyer_id ?? '')
}

/** A page of payment methods, the newest first (semantics §1.11), each with its buyer. */
export async function listPaymentMethods(
  world: World,
  account: string,
  filter: PaymentMethodFilter,
  page: PageRequest,
) {
  const rows = await storedMethods(world, account)
    .$if(filter.buyerId !== null, (query) => query.where('buyer_id', '=', filter.buyerId))
    .$if(filter.buyerExternalIdentifier !== null, (query) =>
      query.where(
        'buyer_id',
        'in',
        buyerByExternalIdentifier(world, account, filter.buyerExternalIdentifier),
      ),
    )
    .$if(filter.externalIdentifier !== null, (query) =>
      query.where('external_identifier', '=', filter.externalIdentifier),
    )
    .$if(filter.status.length > 0, (query) => query.where('status', 'in', filter.status))
    .$call(newestFirst(page))
    .execute()
  const buyers = await buyersOf(world, account, rows)
  return rows.map((row) => ({ row, buyer: buyers.get(row.buyer_id ?? '') }))
}

const buyerByExternalIdentifier = ({ db }: World, account: string, externalIdentifier: string | null) =>
  db
    .selectFrom('buyers')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where('external_identifier', '=', externalIdentifier)

/**
 * Throws 409 `duplicate_record` if another payment method has the external identifier; the unique index
 * decides.
 */
export async function insertPaymentMethod(
  world: World,
  row: PaymentMethodRow,
  buyer: BuyerRow | undefined,
): Promise<PaymentMethod> {
  const insert = (db: World['db']) =>
    db
      .insertInto('payment_methods')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['merchant_account_id', 'external_identifier'])
          .where('external_identifier', 'is not', null)
          .doNothing(),
      )
      .returningAll()
      .executeTakeFirst()
  const inserted = await changeWithAudit(world, insert, (created) => methodChange('created', created))
  if (!inserted) throw await externalIdentifierTaken(world, row.merchant_account_id, row.external_identifier)
  return showPaymentMethod(inserted, buyer)
}

/**
 * The entry of the audit log for a stored payment method; its tokens at schemes and payment services are part
 * of it. The log is never erased, so it names payment methods by their ids.
 */
export const methodChange = (
  action: AuditAction,
  { merchant_account_id: account, id }: Pick<PaymentMethodRow, 'merchant_account_id' | 'id'>,
): AuditedChange => ({ account, action, resource: { type: 'payment-method', id, name: null } })

/** The 409 for an external identifier that another payment method has. */
export async function externalIdentifierTaken(
  world: World,
  account: string,
  externalIdentifier: string | null,
) {
  const holder = await world.db
    .selectFrom('payment_methods')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where('external_identifier', '=', externalIdentifier)
    .executeTakeFirst()
  return duplicateRecord(holder?.id ?? '', 'A payment method with this external_identifier exists')
}

/**
 * Changes only the members that the request names (semantics §5.2). Undefined: the account has no such
 * payment method. Throws 400 if a card would have no expiry date.
 */
export async function updatePaymentMethod(
  world: World,
  account: string,
  id: string,
  input: PaymentMethodUpdate,
): Promise<PaymentMethod | undefined> {
  return world.db.transaction().execute(async (db) => {
    const row = await storedMethods({ db }, account).where('id', '=', id).forUpdate().executeTakeFirst()
    if (!row) return undefined
    if (row.mode === 'card' && !isTokenOnly(row) && input.expiration_date === null)
      throw invalid({ '/expiration_date': 'is required for a card' })
    const columns = columnsOfUpdate(row, input)
    const updated = await writeChanges(db, 'payment_methods', row, columns, timeOf(world.clock))
    if (!updated) return showPaymentMethod(row, await buyerOfMethod({ db }, row))
    const shown = showPaymentMethod(updated, await buyerOfMethod({ db }, updated))
    await recordEvent(db, world, { account, name: 'payment-method.updated', target: shown })
    await recordChange(db, world, methodChange('updated', updated))
    return shown
  })
}

/**
 * A scheme's transaction id belongs to a scheme: both are cleared together, and a request that names no
 * scheme gets the method's own.
 */
function columnsOfUpdate(row: PaymentMethodRow, input: PaymentMethodUpdate): Partial<PaymentMethodRow> {
  const { scheme_transaction_id: id, scheme_transaction_id_scheme: scheme, ...others } = input
  const schemeAfter =
    id === null
      ? null
      : (scheme ??
        (scheme === undefined ? row.scheme_transaction_id_scheme : null) ??
        (id ? row.scheme : null))
  return {
    ...others,
    ...(id !== undefined && { scheme_transaction_id: id }),
    ...((id !== undefined || scheme !== undefined) && { scheme_transaction_id_scheme: schemeAfter }),
  }
}

/**
 * Deletes a payment method with its tokens at schemes and payment services. `buyerId`: only if it is this
 * buyer's. False: the account has no such payment method.
 */
export async function deletePaymentMethod(
  world: World,
  account: string,
  id: string,
  buyerId?: string,
): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    const row = await db
      .deleteFrom('payment_methods')
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where('provisional', '=', false)
      .$if(buyerId !== undefined, (query) => query.where('buyer_id', '=', buyerId ?? null))
      .returningAll()
      .executeTakeFirst()
    if (!row) return false
    await deleteDependents(db, world, account, row.id)
    await recordEvent(db, world, {
      account,
      name: 'payment-method.deleted',
      target: showPaymentMethod(row, await buyerOfMethod({ db }, row)),
    })
    await recordChange(db, world, methodChange('deleted', row))
    return true
  })
}
