import { type ExpressionBuilder, type RawBuilder, type Selectable, sql } from 'kysely'
import { badRequest, duplicateRecord } from '../../api/errors.ts'
import { throwProblems } from '../../api/throw-problems.ts'
import { timeOf } from '../../base/clock.ts'
import {
  type AuditAction,
  type AuditedChange,
  changeWithAudit,
  recordChange,
} from '../../database/logs/audit-log.ts'
import { lockRow } from '../../database/rows/lock-row.ts'
import { writeChanges } from '../../database/rows/write-changes.ts'
import type { DigitalWalletTable } from '../../database/tables/checkout.ts'
import type { Tables } from '../../database/tables.ts'
import type { World } from '../../world.ts'
import { requireDomainAssociations } from './apple-domain.ts'
import type {
  DigitalWallet,
  DigitalWalletCreate,
  DigitalWalletProvider,
  DigitalWalletUpdate,
} from './digital-wallet.schema.ts'
import { digitalWalletProblems, distinctDomains, isDomain, normalizeDomain } from './digital-wallet.ts'

type Row = Selectable<DigitalWalletTable>
type WalletWithCertificateCounts = Row & { pending: number; active: number; expired: number }

/** The newest first; there is at most one of each provider. */
export async function listDigitalWallets(world: World, account: string): Promise<DigitalWallet[]> {
  const rows = await selectWithCertificateCounts(world, account)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toDigitalWallet)
}

export async function findDigitalWallet(
  world: World,
  account: string,
  id: string,
): Promise<DigitalWallet | undefined> {
  const row = await selectWithCertificateCounts(world, account).where('id', '=', id).executeTakeFirst()
  return row && toDigitalWallet(row)
}

/** The wallet with which an account takes payments of this provider; undefined: it is not set up. */
export async function findWalletOfProvider(
  world: World,
  account: string,
  provider: DigitalWalletProvider,
): Promise<Row | undefined> {
  return world.db
    .selectFrom('digital_wallets')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('provider', '=', provider)
    .executeTakeFirst()
}

/** Wallets with the number of their certificates that are pending, active and expired now. */
function selectWithCertificateCounts({ db, clock }: World, account: string) {
  const now = timeOf(clock)
  const count = (
    where: ExpressionBuilder<Tables, 'digital_wallets'>,
    state: ReturnType<typeof sql<boolean>>,
  ) =>
    where
      .selectFrom('apple_pay_certificates')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('apple_pay_certificates.merchant_account_id', '=', account)
      .whereRef('digital_wallet_id', '=', 'digital_wallets.id')
      .where(state)
  return db
    .selectFrom('digital_wallets')
    .selectAll()
    .select((where) => [
      count(where, sql<boolean>`certificate is null`).as('pending'),
      count(where, sql<boolean>`certificate is not null and expires_at > ${now}::timestamptz`).as('active'),
      count(where, sql<boolean>`certificate is not null and expires_at <= ${now}::timestamptz`).as('expired'),
    ])
    .where('merchant_account_id', '=', account)
    .$castTo<WalletWithCertificateCounts>()
}

/**
 * Throws 400 if a rule is broken, 409 `duplicate_record` if the account has a wallet of this provider; the
 * unique index decides.
 */
export async function insertDigitalWallet(
  world: World,
  account: string,
  input: DigitalWalletCreate,
): Promise<DigitalWallet> {
  const {
    provider,
    merchant_name,
    domain_names = [],
    accept_terms_and_conditions: accepted,
    ...details
  } = input
  throwProblems({
    ...(!accepted && { '/accept_terms_and_conditions': 'must be true' }),
    ...digitalWalletProblems(provider, input),
  })
  if (provider === 'apple') await requireDomainAssociations(world, input, domain_names)
  const now = timeOf(world.clock)
  const insert = (db: World['db']) =>
    db
      .insertInto('digital_wallets')
      .values({
        merchant_account_id: account,
        id: world.ids.next(),
        provider,
        merchant_name,
        ...toColumns(details),
        domain_names: distinctDomains(domain_names),
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.columns(['merchant_account_id', 'provider']).doNothing())
      .returningAll()
      .executeTakeFirst()
  const row = await changeWithAudit(world, insert, (created) => walletChange('created', created))
  if (row) return toDigitalWallet({ ...row, pending: 0, active: 0, expired: 0 })
  const existing = await findWalletOfProvider(world, account, provider)
  throw duplicateRecord(existing?.id ?? '', `This merchant account has a wallet of the provider ${provider}`)
}

/**
 * Undefined: the account has no such wallet. The row stays locked meanwhile, so that two requests cannot each
 * undo what the other changes.
 */
export async function updateDigitalWallet(
  world: World,
  account: string,
  id: string,
  update: DigitalWalletUpdate,
): Promise<DigitalWallet | undefined> {
  const { merchant_name, domain_names, ...details } = update
  // before the row is locked: the domain's server may be slow
  await requireNewAssociations(world, account, id, update)
  const found = await world.db.transaction().execute(async (db) => {
    const current = await lockDigitalWallet(db, account, id)
    if (!current) return false
    const settings = { ...current, ...details, domain_names: domain_names ?? current.domain_names }
    throwProblems(
      digitalWalletProblems(current.provider, {
        merchant_url: settings.merchant_url,
        merchant_country_code: settings.merchant_country_code,
        domain_names: settings.domain_names,
      }),
    )
    const columns = {
      ...(merchant_name && { merchant_name }),
      ...toColumns(details),
      domain_names: distinctDomains(settings.domain_names),
    }
    const changed = await writeChanges(db, 'digital_wallets', current, columns, timeOf(world.clock))
    if (changed) await recordChange(db, world, walletChange('updated', changed))
    return true
  })
  return found ? findDigitalWallet(world, account, id) : undefined
}

async function requireNewAssociations(
  world: World,
  account: string,
  id: string,
  update: DigitalWalletUpdate,
): Promise<void> {
  const current = await findDigitalWallet(world, account, id)
  if (current?.provider !== 'apple' || !update.domain_names?.every(isDomain)) return
  await requireDomainAssociations(world, { ...current, ...update }, update.domain_names, current.domain_names)
}

/** False: the account has no such wallet. Throws 400 if one of its certificates is active. */
export async function deleteDigitalWallet(world: World, account: string, id: string): Promise<boolean> {
  return world.db.transaction().execute(async (db) => {
    // an upload locks the wallet, too, so that no certificate becomes active between the check and the
    // deletion
    const wallet = await lockDigitalWallet(db, account, id)
    if (!wallet) return false
    const active = await db
      .selectFrom('apple_pay_certificates')
      .select('id')
      .where('merchant_account_id', '=', account)
      .where('digital_wallet_id', '=', id)
      .where('expires_at', '>', timeOf(world.clock))
      .limit(1)
      .executeTakeFirst()
    if (active) throw badRequest('A wallet with active certificates cannot be deleted; delete them first')
    await db
      .deleteFrom('digital_wallets')
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .execute()
    await recordChange(db, world, walletChange('deleted', wallet))
    return true
  })
}

/** The wallet, which no other request can change until the database transaction ends. */
export const lockDigitalWallet = (db: World['db'], account: string, id: string): Promise<Row | undefined> =>
  lockRow(db, 'digital_wallets', account, id)

export function addDomain(world: World, account: string, id: string, name: string): Promise<void> {
  const domain = normalizeDomain(name)
  const isNew = sql<boolean>`not (domain_names @> array[${domain}]::text[])`
  return changeDomains(world, account, id, isNew, sql`array_append(domain_names, ${domain})`)
}

export function removeDomain(world: World, account: string, id: string, name: string): Promise<void> {
  const domain = normalizeDomain(name)
  const isThere = sql<boolean>`domain_names @> array[${domain}]::text[]`
  return changeDomains(world, account, id, isThere, sql`array_remove(domain_names, ${domain})`)
}

/** Writes nothing if `condition` does not hold: the domains are as they should be. */
async function changeDomains(
  world: World,
  account: string,
  id: string,
  condition: RawBuilder<boolean>,
  domain_names: RawBuilder<string[]>,
): Promise<void> {
  const change = (db: World['db']) =>
    db
      .updateTable('digital_wallets')
      .set({ domain_names, updated_at: timeOf(world.clock) })
      .where('merchant_account_id', '=', account)
      .where('id', '=', id)
      .where(condition)
      .returningAll()
      .executeTakeFirst()
  await changeWithAudit(world, change, (changed) => walletChange('updated', changed))
}

/** The entry of the audit log for a wallet; its domains and certificates are part of it. */
export const walletChange = (
  action: AuditAction,
  { merchant_account_id, id, merchant_name }: Pick<Row, 'merchant_account_id' | 'id' | 'merchant_name'>,
): AuditedChange => ({
  account: merchant_account_id,
  action,
  resource: { type: 'digital-wallet', id, name: merchant_name },
})

/** The columns of the members that the request has. */
function toColumns(details: Omit<DigitalWalletUpdate, 'merchant_name' | 'domain_names'>) {
  const { address, extra_configuration, ...texts } = details
  return {
    ...texts,
    ...(address !== undefined && { address: address && JSON.stringify(address) }),
    ...(extra_configuration !== undefined && {
      extra_configuration: extra_configuration && JSON.stringify(extra_configuration),
    }),
  }
}

export function toDigitalWallet({
  pending,
  active,
  expired,
  address,
  ...row
}: WalletWithCertificateCounts): DigitalWallet {
  return {
    type: 'digital-wallet',
    ...row,
    // the column is written only from bodies of that shape
    address: address as DigitalWallet['address'],
    active_certificate_count: Number(active),
    pending_certificate_count: Number(pending),
    expired_certificate_count: Number(expired),
    fields: null,
  }
}
