import type { StoredTimeline } from '../operations/journal/journal.ts'
import { timelineEntries } from '../operations/journal/read-timeline.ts'
import type { OperationRow } from '../operations/operation.ts'
import type { TimelineEntry } from '../operations/timeline-entry.ts'
import type { PaymentServiceRow } from '../payment-services/payment-service.store.ts'
import type { RulesetRow } from '../routing/rules/ruleset.store.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import type { World } from '../world.ts'

/** The rows that a capsule is made of. */
export interface CapsuleRows {
  transaction: TransactionRow
  /** In the order in which they were intended. */
  operations: OperationRow[]
  entries: TimelineEntry[]
  services: PaymentServiceRow[]
  rulesets: RulesetRow[]
  /** Definitions of the anti-fraud services, by id. */
  antiFraud: Record<string, string>
}

const selectPayment = `
select row_to_json(t) as transaction,
       (select json_agg(o order by o.id)
          from operations o
         where o.merchant_account_id = t.merchant_account_id and o.transaction_id = t.id) as operations,
       (select json_agg(json_build_object('entries', e.entries, 'packed', e.packed))
          from transaction_events e
         where e.merchant_account_id = t.merchant_account_id and e.transaction_id = t.id) as timeline,
       (select json_agg(s order by s.position, s.created_at, s.id)
          from payment_services s
         where s.merchant_account_id = t.merchant_account_id) as services,
       (select json_object_agg(f.id, f.anti_fraud_service_definition_id)
          from anti_fraud_services f
         where f.merchant_account_id = t.merchant_account_id) as anti_fraud,
       (select json_agg(r)
          from (select distinct on (flow) *
                  from flow_rulesets
                 where merchant_account_id = t.merchant_account_id and published_at <= t.created_at
                 order by flow, published_at desc) r) as rulesets
  from transactions t
 where t.merchant_account_id = $1
   and t.id = $2`

/** Undefined: the account has no such payment. */
export async function readCapsuleRows(
  { run }: Pick<World, 'run'>,
  account: string,
  id: string,
): Promise<CapsuleRows | undefined> {
  const [row] = await run<{
    transaction: TransactionRow
    operations: OperationRow[] | null
    timeline: StoredTimeline[] | null
    services: PaymentServiceRow[] | null
    rulesets: RulesetRow[] | null
    anti_fraud: Record<string, string> | null
  }>(selectPayment, [account, id])
  if (!row) return undefined
  const { transaction, operations, timeline, services, rulesets, anti_fraud: antiFraud } = row
  return {
    transaction,
    operations: operations ?? [],
    entries: timelineEntries(timeline ?? [], operations ?? []),
    services: services ?? [],
    rulesets: rulesets ?? [],
    antiFraud: antiFraud ?? {},
  }
}
