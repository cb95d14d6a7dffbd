import { waitsFor } from '../approvals/proposals/proposal.store.ts'
import type { Approver } from '../approvals/requirements.ts'
import { timeOf } from '../base/clock.ts'
import { timestamp, timestampOrNull } from '../database/timestamp.ts'
import type { World } from '../world.ts'
import { type Attention, MAX_COUNT } from './attention.schema.ts'

/** What is counted: the scope that the count needs, and its rows. $1 is the account, $2 the present time. */
const counted = {
  open_reviews: {
    scope: 'transactions.read',
    rows: 'from transactions where merchant_account_id = $1 and pending_review',
  },
  unknown_operations: {
    scope: 'transactions.read',
    rows: `from operations where merchant_account_id = $1 and status = 'unknown'`,
  },
  disputes: {
    scope: 'disputes.read',
    rows: `from disputes
          where merchant_account_id = $1
            and status in ('inquiry', 'needs_response')
            and evidence_due_at > $2::timestamptz`,
  },
  unmatched_report_lines: {
    scope: 'reports.read',
    rows: 'from unmatched_report_lines where merchant_account_id = $1',
  },
  // an account sees the deliveries of its own subscriptions
  failed_webhook_deliveries: {
    scope: 'webhook-subscriptions.read',
    rows: `from webhook_subscriptions s
           join webhook_deliveries d on d.webhook_subscription_id = s.id and d.merchant_account_id = s.merchant_account_id
          where s.merchant_account_id = $1
            and s.deleted_at is null
            and d.merchant_account_id = $1
            and d.status = 'failed'`,
  },
  monitoring_incidents: {
    scope: 'monitoring.read',
    rows: 'from monitoring_incidents where merchant_account_id = $1 and closed_at is null',
  },
  hosted_page_incidents: {
    scope: 'monitoring.read',
    rows: 'from page_incidents where merchant_account_id = $1 and closed_at is null',
  },
  open_circuits: {
    scope: 'payment-services.read',
    rows: `from payment_service_circuits c
           join payment_services p on p.merchant_account_id = c.merchant_account_id and p.id = c.payment_service_id
          where c.merchant_account_id = $1
            and c.state <> 'closed'
            and p.active
            and p.deleted_at is null`,
  },
} as const satisfies Record<string, { scope: string; rows: string }>

type Name = keyof typeof counted
const names = Object.keys(counted).filter((name): name is Name => name in counted)

/** The scopes of which one at least is needed. */
export const attentionScopes = [...new Set(Object.values(counted).map(({ scope }) => scope))]

const countSql = (name: Name) =>
  `(select count(*)::int from (select 1 as one ${counted[name].rows} limit ${MAX_COUNT + 1}) as rows) as ${name}`

const dueSql = `(select to_json(min(evidence_due_at))#>>'{}' ${counted.disputes.rows}) as due`

const verificationSql =
  "(select json_build_object('verified_at', verified_at, 'findings', findings, 'broken_links', broken_links) from verifications where merchant_account_id = $1) as verification"

type Row = { [Of in Name]?: number } & {
  due?: string | null
  verification?: { verified_at: string; findings: number; broken_links: number } | null
}

/** Proposals that wait for this person; null: the caller decides on none. */
async function countProposals(
  { db, clock }: World,
  account: string,
  approver: Approver | undefined,
): Promise<Attention['proposals']> {
  if (!approver) return null
  const rows = await db
    .selectFrom('proposals')
    .select('id')
    .where('merchant_account_id', '=', account)
    .where(waitsFor(approver, timeOf(clock)))
    .limit(MAX_COUNT + 1)
    .execute()
  return { count: Math.min(rows.length, MAX_COUNT), more: rows.length > MAX_COUNT }
}

/**
 * Counts what waits for a person. `canUse` says which scopes the caller has: what others open is null.
 * `approver` is a person who decides on proposals.
 */
export async function readAttention(
  world: World,
  account: string,
  canUse: (scope: string) => boolean,
  approver: Approver | undefined,
): Promise<Attention> {
  const isShown = (name: Name) => canUse(counted[name].scope)
  const columns = [
    // both parameters are used, whatever is counted
    '$1::text as account, $2::timestamptz as now',
    ...names.filter(isShown).map(countSql),
    ...(isShown('disputes') ? [dueSql] : []),
    ...(isShown('open_reviews') ? [verificationSql] : []),
  ]
  const [row = {}] = await world.run<Row>(`select ${columns.join(',\n       ')}`, [
    account,
    timeOf(world.clock),
  ])
  const count = (name: Name) => {
    const found = row[name]
    return found === undefined ? null : { count: Math.min(found, MAX_COUNT), more: found > MAX_COUNT }
  }
  const disputes = count('disputes')
  const verification = row.verification
  return {
    type: 'attention',
    open_reviews: count('open_reviews'),
    unknown_operations: count('unknown_operations'),
    disputes: disputes && { ...disputes, next_evidence_due_at: timestampOrNull(row.due ?? null) },
    unmatched_report_lines: count('unmatched_report_lines'),
    failed_webhook_deliveries: count('failed_webhook_deliveries'),
    monitoring_incidents: count('monitoring_incidents'),
    hosted_page_incidents: count('hosted_page_incidents'),
    open_circuits: count('open_circuits'),
    proposals: await countProposals(world, account, approver),
    verification: verification ? { ...verification, verified_at: timestamp(verification.verified_at) } : null,
  }
}
