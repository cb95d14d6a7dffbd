import type { Statements } from '../database/statements.ts'
import type { StoredDisputeNotice } from '../database/tables/disputes.ts'
import { timestamp } from '../database/timestamp.ts'
import type { DisputeRow } from '../transactions/disputes/dispute.store.ts'
import { addNotice, type DisputeState, disputeState } from '../transactions/disputes/dispute-state.ts'
import { check, comparisonSql, type Finding, MAX_FINDINGS, retiredBelow, type TableCheck } from './finding.ts'

const BATCH = 1_000

const selectBatch = `
select row_to_json(d) as dispute
  from disputes d
 where (merchant_account_id, id) > ($1, $2::uuid)
 order by merchant_account_id, id
 limit ${BATCH}`

async function* allDisputes(run: Statements): AsyncGenerator<DisputeRow> {
  for (let [account, id] = ['', '00000000-0000-0000-0000-000000000000']; ; ) {
    const rows = await run<{ dispute: DisputeRow }>(selectBatch, [account, id])
    yield* rows.map(({ dispute }) => dispute)
    const last = rows.at(-1)?.dispute
    if (!last || rows.length < BATCH) return
    ;({ merchant_account_id: account, id } = last)
  }
}

/** Each dispute equals the one that is computed from its notices, by the code that wrote it. */
export const disputesOfNotices: TableCheck = async (run) => {
  const findings: Finding[] = []
  for await (const row of allDisputes(run)) {
    const state = stateOf(row.notices)
    const names = state ? (Object.keys(state) as (keyof DisputeState)[]) : []
    const differing = names.flatMap((name) => {
      const [stored, computed] = [textOf(row[name], name), textOf(state?.[name], name)]
      return stored === computed ? [] : { problem: `dispute: ${name}`, stored, computed }
    })
    const { merchant_account_id, id: transaction_id } = row
    const problems = state
      ? differing
      : [{ problem: 'dispute without notices', stored: row.status, computed: 'nothing' }]
    findings.push(...problems.map((problem) => ({ merchant_account_id, transaction_id, ...problem })))
    if (findings.length >= MAX_FINDINGS) break
  }
  return findings.slice(0, MAX_FINDINGS)
}

function stateOf(notices: readonly StoredDisputeNotice[]): DisputeState | undefined {
  let sorted: ReturnType<typeof addNotice>
  for (const notice of notices) sorted = addNotice(sorted ?? [], notice) ?? sorted
  return sorted && disputeState(sorted)
}

const textOf = (value: unknown, name: string): string =>
  value === null || value === undefined
    ? 'nothing'
    : name.endsWith('_at')
      ? timestamp(new Date(String(value)).toISOString())
      : String(value)

/** The payment of a dispute exists at its payment service; its discrepancy says where it does not fit. */
export const paymentsOfDisputes = check(
  comparisonSql(
    'd.merchant_account_id',
    'd.id',
    `(select * from disputes where transaction_id is null or transaction_id >= ${retiredBelow}) d
  left join transactions t on t.merchant_account_id = d.merchant_account_id and t.id = d.transaction_id`,
    [
      ['dispute: transaction', 'd.transaction_id', 't.id'],
      [
        'dispute: discrepancy',
        `case when d.discrepancy in ('unknown_transaction', 'other_currency') then d.discrepancy end`,
        `case when t.id is null then 'unknown_transaction' when t.currency <> d.currency then 'other_currency' end`,
      ],
    ],
  ),
)

/** The last event of a dispute equals its row, because each change that the API shows has an event. */
export const lastEventOfDispute = check(
  comparisonSql(
    'd.merchant_account_id',
    'd.id',
    `disputes d
  left join event_sequences s on s.merchant_account_id = d.merchant_account_id and s.target_id = d.id
  left join events e on e.merchant_account_id = d.merchant_account_id and e.target_id = d.id and e.sequence = s.last
 where e.id is not null or d.id >= ${retiredBelow}`,
    [
      ['last event of a dispute: status', 'd.status', `e.target->>'status'`],
      ['last event of a dispute: amount', 'd.amount', `e.target->>'amount'`],
      ['last event of a dispute: withdrawn', 'd.withdrawn_amount', `e.target->>'withdrawn_amount'`],
      ['last event of a dispute: returned', 'd.returned_amount', `e.target->>'returned_amount'`],
      ['last event of a dispute: transaction', 'd.transaction_id', `e.target->>'transaction_id'`],
      [
        'last event of a dispute: evidence',
        'd.evidence_submitted_at is not null',
        `e.target->>'evidence_submitted_at' is not null`,
      ],
      [
        'last event of a dispute: accepted',
        'd.accepted_at is not null',
        `e.target->>'accepted_at' is not null`,
      ],
    ],
  ),
)
