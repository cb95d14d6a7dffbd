import type { Selectable } from 'kysely'
import { cachedMerchantAccount } from '../../accounts/merchant-accounts/merchant-account.store.ts'
import { badRequest, invalid } from '../../api/errors.ts'
import { canonicalId } from '../../api/values/uuid.ts'
import { timeOf } from '../../base/clock.ts'
import type { JobRound } from '../../base/due-jobs.ts'
import { answerDeadline } from '../../connectors/wire/answer-deadline.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { auditEntry, auditEntrySql } from '../../database/logs/audit-log.ts'
import { namedStatement } from '../../database/named-statement.ts'
import { nextCheck, processDueRows } from '../../database/rows/due-rows.ts'
import type { AccountUpdaterInquiryTable } from '../../database/tables/vault.ts'
import { timestamp } from '../../database/timestamp.ts'
import type { World } from '../../world.ts'
import { cardExpiryProblem } from '../cards/card.ts'
import { findPaymentMethodRow, methodChange } from '../payment-methods/payment-method.store.ts'
import { openStoredCard } from '../payment-methods/stored-card.ts'
import type { AccountUpdaterJob } from './account-updater.schema.ts'
import { storeStandby } from './card-replacement.ts'

type InquiryRow = Selectable<AccountUpdaterInquiryTable>

/** The schemes that report replaced cards (semantics §16.5). */
const schemes = ['amex', 'discover', 'mastercard', 'visa']

/** After so many lost answers (about an hour and a half) the inquiry fails; another job may inquire again. */
const MAX_CHECKS = 18

const insertInquiries = namedStatement(
  ['account', 'job', 'ids', 'methods', 'now', 'schemes', 'audit'],
  (p) => `
with intended as (
  insert into account_updater_inquiries (merchant_account_id, id, job_id, payment_method_id, check_at, created_at, updated_at)
  select p.merchant_account_id, inquiry.id, ${p.job}::uuid, p.id, ${p.now}::timestamptz, ${p.now}::timestamptz, ${p.now}::timestamptz
    from unnest(${p.ids}::uuid[], ${p.methods}::uuid[]) inquiry (id, payment_method_id)
    join payment_methods p
      on p.merchant_account_id = ${p.account}
     and p.id = inquiry.payment_method_id
   where not p.provisional
     and p.method = 'card'
     and p.sealed is not null
     and p.status in ('succeeded', 'processing')
     and p.scheme = any(${p.schemes}::text[])
      on conflict (merchant_account_id, payment_method_id) where result is null do nothing
  returning merchant_account_id, id, payment_method_id
), audited as (${auditEntrySql('intended', p.audit, { entry: 'intended.id', id: 'intended.payment_method_id::text' })}
)
select id, payment_method_id from intended`,
)

/**
 * Starts inquiries about stored cards at the account updater. Payment methods that it cannot know, and cards
 * with an open inquiry, are left out; undefined: none is left. Throws 400 if the account has no account
 * updater. `inquiryId` makes the id of each inquiry.
 */
export async function createUpdaterJob(
  world: World,
  account: string,
  methods: string[],
  inquiryId: () => string = world.ids.next,
): Promise<AccountUpdaterJob | undefined> {
  if (new Set(methods.map((id) => canonicalId(id))).size < methods.length)
    throw invalid({ '/payment_method_ids': 'must be different ones' })
  const accepted = await updatableSchemes(world, account)
  if (!accepted) throw badRequest('The merchant account has no account updater')
  const [id, now] = [world.ids.next(), timeOf(world.clock)]
  const rows = await insertInquiries.run<Pick<InquiryRow, 'id' | 'payment_method_id'>>(world, {
    account,
    job: id,
    ids: methods.map(() => inquiryId()),
    methods,
    now,
    schemes: accepted,
    audit: auditEntry(world, methodChange('updated', { merchant_account_id: account, id: '' })),
  })
  if (rows.length === 0) return undefined
  const inquiries = rows.map((row) => ({
    type: 'account-updater-inquiry' as const,
    id: row.id,
    payment_method_id: row.payment_method_id,
  }))
  return {
    type: 'account-updater-job',
    id,
    merchant_account_id: account,
    inquiries,
    created_at: timestamp(now),
    updated_at: timestamp(now),
  }
}

/**
 * The schemes about whose cards the account updater can be asked; undefined: the account has no account
 * updater.
 */
export async function updatableSchemes(world: World, account: string): Promise<string[] | undefined> {
  if (!world.schemes.accountUpdater) return undefined
  const row = await cachedMerchantAccount(world, account)
  const { loon_client_key: key = null, loon_accepted_schemes: chosen = null } = row?.identifiers ?? {}
  if (!row?.account_updater_enabled && key === null) return undefined
  return Array.isArray(chosen) ? schemes.filter((scheme) => chosen.includes(scheme)) : schemes
}

/**
 * Inquires about the cards that are due, and stores newer details in standby. Answers how many inquiries were
 * processed.
 */
export const processDueInquiries = async (world: World, round?: JobRound): Promise<number> =>
  world.schemes.accountUpdater
    ? processDueRows(
        world,
        'account_updater_inquiries',
        {
          leaseUntil: () => answerDeadline(world),
          processRow: (row) => inquire(world, row),
        },
        round,
      )
    : 0

async function inquire(world: World, row: InquiryRow): Promise<void> {
  const method = await findPaymentMethodRow(world, row.merchant_account_id, row.payment_method_id)
  const { accountUpdater } = world.schemes
  if (!method || !accountUpdater) return finishInquiry(world, row, 'failed')
  const { number, expirationDate } = await openStoredCard(world, method, null)
  const answer = await accountUpdater.inquire(
    instrumentedHttp(world, { definition: 'account-updater', operation: 'account_update' }).request,
    {
      id: row.id,
      number,
      expirationDate,
      simulated: null,
    },
  )
  if (answer.status === 'unknown' && row.checks + 1 < MAX_CHECKS) return postponeInquiry(world, row)
  if (answer.status !== 'done') return finishInquiry(world, row, 'failed')
  const { value } = answer
  if (value.result !== 'updated') return finishInquiry(world, row, value.result)
  if (cardExpiryProblem(value.expirationDate, world.clock.now())) return finishInquiry(world, row, 'failed')
  // stored first: if the process dies between the two, the account updater is asked again
  await storeStandby(world, method, value.number, value.expirationDate)
  await finishInquiry(world, row, 'updated')
}

const finishInquiry = async (world: World, row: InquiryRow, result: InquiryRow['result']): Promise<void> =>
  void (await updateInquiry(world, row)
    .set({ result, check_at: null, updated_at: timeOf(world.clock) })
    .execute())

const postponeInquiry = async (world: World, row: InquiryRow): Promise<void> =>
  void (await updateInquiry(world, row).set(nextCheck(world, row.checks)).execute())

const updateInquiry = ({ db }: World, { merchant_account_id: account, id }: InquiryRow) =>
  db
    .updateTable('account_updater_inquiries')
    .where('merchant_account_id', '=', account)
    .where('id', '=', id)
    .where('result', 'is', null)
