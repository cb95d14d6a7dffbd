import { fingerprintColumns } from '../../api/request/request-fingerprint.ts'
import { isInCurrentTimeSql } from '../../base/account-clock.ts'
import { auditEntrySql } from '../../database/logs/audit-log.ts'
import { withSharedCommit } from '../../database/statements.ts'
import { updateLinkStatus, writeLinkEvent } from './payment-link.sql.ts'

/**
 * The statements of the payment path. Each is one commit: it checks, reserves, writes the journal, the story and the outbox together, so
 * that a process may die after any of them and nothing is half done (DESIGN §5).
 */

/**
 * What an event keeps of a transaction (SEMANTICS §15.2): what changes, and what tells it apart. The rest is read from its row when the event is (transactions/views/event-targets.ts).
 * What is null or nothing takes no room.
 */
export const transactionTarget = (t: string) => `json_strip_nulls(json_build_object(
  'type', 'transaction', 'id', ${t}.id, 'status', ${t}.status, 'payment_method', json_build_object('method', ${t}.method),
  'external_identifier', ${t}.external_identifier, 'currency', ${t}.currency, 'amount', ${t}.amount,
  'authorized_amount', ${t}.authorized_amount, 'captured_amount', ${t}.captured_amount, 'refunded_amount', ${t}.refunded_amount,
  'payment_service_transaction_id', ${t}.payment_service_transaction_id, 'has_gift_card_redemptions', ${t}.gift_cards is not null,
  'pending_review', ${t}.pending_review, 'intent_outcome', ${t}.intent_outcome, 'error_code', ${t}.error_code, 'metadata', ${t}.metadata,
  'identifiers', ${t}.identifiers, 'anti_fraud_decision', ${t}.anti_fraud->>'decision',
  'redemptions', case when ${t}.gift_cards is not null then
    (select json_agg(json_build_object('id', r->'id', 'status', r->'status', 'refunded', r->'refunded', 'reference', r->'reference', 'error_code', r->'error_code',
            'raw_error_code', r->'raw_error_code', 'raw_error_message', r->'raw_error_message')) from jsonb_array_elements(${t}.gift_cards->'redemptions') r) end,
  'settled', nullif(${t}.settled, false), 'settled_amount', nullif(${t}.settled_amount, 0), 'settled_currency', ${t}.settled_currency,
  'disputed', nullif(${t}.disputed, false), 'disputed_amount', nullif(${t}.disputed_amount, 0),
  'captured_at', ${t}.captured_at, 'created_at', ${t}.created_at, 'updated_at', ${t}.updated_at))`

/** What it keeps of a capture or a refund: a sale is a capture to the merchant, and what is not decided is pending, or processing. */
const operationTarget = (o: string) => `json_strip_nulls(json_build_object(
  'type', case when ${o}.kind in ('sale', 'capture') then 'capture' else 'refund' end, 'id', ${o}.id, 'transaction_id', ${o}.transaction_id,
  'currency', ${o}.currency, 'amount', coalesce(${o}.effective_amount, ${o}.amount),
  'status', case when ${o}.status = 'approved' then 'succeeded' when ${o}.status in ('declined', 'failed') then ${o}.status
                 when ${o}.kind in ('sale', 'capture') then 'pending' else 'processing' end,
  'error_code', ${o}.error_code, 'external_identifier', ${o}.input->>'external_identifier', 'created_at', ${o}.created_at, 'updated_at', ${o}.updated_at))`

/** How many of the events in this parameter are about the transaction, or about the operation: each counts its own, for their sequence numbers. */
const countEvents = (target: 'transaction' | 'operation', events: string) =>
  `(select count(*)::int from jsonb_to_recordset(${events}) told (target text) where told.target = '${target}')`

/** What else the statement of a payment does: `first` before the transaction is created, which is only where `guard` holds, and `after` it. It answers a row where it was created. */
interface IntendPaymentParts {
  first: string
  guard: string
  after?: string
  answers?: string
}

const timelineOfCreated = `insert into transaction_events (merchant_account_id, transaction_id, id, entries)
select merchant_account_id, id, $3, $4 from created`

const intendPaymentSql = ({ first, guard, after = '', answers = `${timelineOfCreated}\nreturning 1 as one` }: IntendPaymentParts) =>
  withSharedCommit(`
with ${first}created as (
  insert into transactions select row.* from jsonb_populate_record(null::transactions, $1) row ${guard}
  returning *
), intended as (
  insert into operations select row.* from jsonb_populate_recordset(null::operations, $2) row${guard && ' where exists (select from created)'}
), claimed as (
  insert into idempotency_keys (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, answer, created_at)
  select merchant_account_id, $5, $6, ${fingerprintColumns('$7')}, id, $8, case when jsonb_array_length($2) = 0 then json_build_object('transaction', row_to_json(created)) end, created_at
    from created where $6::text is not null
), told as (
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select merchant_account_id, event.id, event.name, created.id, event.ordinal, ${transactionTarget('created')}, created_at
    from created, jsonb_to_recordset($9) event (id uuid, name text, ordinal int)
), audited as (${auditEntrySql('created', '$10', { name: 'created.external_identifier' })}
)${after}
${answers}`)

/** A stored method that pays, unless it was deleted meanwhile. */
const countMethodUse = (id: string) => `update payment_methods p
     set usage_count = usage_count + 1, last_used_at = given.created_at,
         cit_usage_count = cit_usage_count + case when given.merchant_initiated then 0 else 1 end,
         cit_last_used_at = case when given.merchant_initiated then cit_last_used_at else given.created_at end
    from (select $1::jsonb->>'merchant_account_id' as account, ($1::jsonb->>'created_at')::timestamptz as created_at,
                 ($1::jsonb->>'merchant_initiated')::boolean as merchant_initiated) given
   where p.merchant_account_id = given.account and p.id = ${id}::uuid and not p.provisional`

/**
 * A payment: the transaction, its first operation if a payment service is to be asked, the claim on the idempotency key. A key that is taken
 * violates `idempotency_keys_pkey` and nothing is written. $10: the entry of the audit log. With a stored payment method ($11) its use is counted in the same commit, and where it was
 * deleted meanwhile nothing is created; with one to be stored ($11) that is kept provisionally. What a wallet gave ($11) is used up: another
 * payment's violates `used_wallet_tokens_pkey`.
 */
export const intendPayment = {
  plain: intendPaymentSql({ first: '', guard: '' }),
  fromWallet: intendPaymentSql({
    first: '',
    guard: '',
    after: `, used_up as (
  insert into used_wallet_tokens (merchant_account_id, source, token, usable_until)
  select created.merchant_account_id, token.source, decode(token.hash, 'hex'), token.usable_until
    from created, jsonb_to_record($11) token (source text, hash text, usable_until timestamptz)
)`,
  }),
  using: intendPaymentSql({
    first: `used as (
  ${countMethodUse('$11')}
  returning p.id
), `,
    guard: 'where exists (select from used)',
  }),
  keeping: intendPaymentSql({
    first: `kept as (
  insert into payment_methods select row.* from jsonb_populate_record(null::payment_methods, $11::jsonb) row
), `,
    guard: '',
  }),
  /**
   * Through a payment link ($13): the statement that makes the payment takes the link as well, so that there is one payment at most, however many try at once. With a stored payment
   * method ($12), or one to be stored ($11), as above. A payment that fails before anybody is asked leaves the link as it is. $14: the id of the link's event.
   */
  throughLink: intendPaymentSql({
    first: `given as (
  select $1::jsonb->>'merchant_account_id' as account, ($1::jsonb->>'created_at')::timestamptz as created_at
), open_link as (
  select l.id from payment_links l, given
   where l.merchant_account_id = given.account and l.id = $13::uuid and l.status = 'active' and l.expires_at > given.created_at
     for update of l
), used as (
  ${countMethodUse('$12')} and exists (select from open_link)
  returning p.id
), kept as (
  insert into payment_methods select row.* from jsonb_populate_record(null::payment_methods, $11::jsonb) row where $11::jsonb is not null and exists (select from open_link)
), `,
    guard: 'where exists (select from open_link) and ($12::uuid is null or exists (select from used))',
    after: `, taken as (
  update payment_links l
     set transaction_id = created.id, status = case when created.status = 'processing' then 'processing' else l.status end,
         updated_at = case when created.status = 'processing' then created.created_at else l.updated_at end
    from created
   where l.merchant_account_id = created.merchant_account_id and l.id = $13::uuid
  returning l.*
), link_moved as (
  select * from taken where status = 'processing'
), ${writeLinkEvent('$14::uuid')}, story as (
  ${timelineOfCreated}
)`,
    answers: 'select exists (select from open_link) as open, exists (select from created) as created',
  }),
} as const

/** The guard and the reservation of each operation on an existing transaction. `given` holds the operation's id, its amount and the over-capture allowance. */
const reservations = {
  capture: {
    set: `capture_reserved = capture_reserved + given.amount, over_capture_allowance = greatest(over_capture_allowance, given.allowance),
          details = case when $6::jsonb #> '{input,airline}' is null then details else jsonb_set(details, '{airline}', $6::jsonb #> '{input,airline}') end,
          active_operation_id = given.operation`,
    guard: `status in ('authorization_succeeded', 'capture_succeeded', 'capture_pending') and not capture_closed and not pending_review
     and active_operation_id is null and captured_amount + capture_reserved + given.amount <= authorized_amount + given.allowance`,
  },
  void: {
    set: 'active_operation_id = given.operation',
    guard: `status = 'authorization_succeeded' and captured_amount = 0 and capture_reserved = 0 and active_operation_id is null`,
  },
  cancel: {
    set: 'active_operation_id = given.operation',
    guard: `status in ('processing', 'buyer_approval_pending') and active_operation_id is null`,
  },
  increment: {
    set: 'active_operation_id = given.operation',
    guard: `status = 'authorization_succeeded' and not capture_closed and not pending_review and active_operation_id is null`,
  },
  // what a chargeback has taken is given back a second time only where the merchant insists; while gift cards are asked for, or are given back, what the payment method paid is the chain's to give back
  refund: {
    set: 'refund_reserved = refund_reserved + given.amount',
    guard: `status = 'capture_succeeded' and captured_amount - refunded_amount - refund_reserved >= given.amount
     and (captured_amount - refunded_amount - refund_reserved - coalesce(disputed_amount, 0) >= given.amount or ($6::jsonb #>> '{input,forced}')::boolean)
     and (gift_cards is null or intent_outcome = 'succeeded' or (intent_outcome = 'failed' and active_operation_id is null))`,
  },
  // no part of a payment is put back while the others are still being asked for
  'gift-card-refund': {
    set: `gift_cards = redemptions_after(gift_cards, jsonb_build_object($6::jsonb #>> '{input,redemption}', jsonb_build_object('reserved', given.amount)))`,
    guard: `active_operation_id is null and intent_outcome <> 'pending' and redemption_left(gift_cards, $6::jsonb #>> '{input,redemption}') >= given.amount`,
  },
} as const

export type FollowUpKind = keyof typeof reservations

const intendFollowUpSql = ({ set, guard }: { set: string; guard: string }) =>
  withSharedCommit(`
with given as (
  select $3::uuid as operation, $4::bigint as amount, $5::bigint as allowance
), reserved as (
  update transactions set ${set}, updated_at = $12::timestamptz
    from given
   where merchant_account_id = $1 and id = $2 and ${guard}
  returning transactions.*
), intended as (
  insert into operations select row.* from reserved, jsonb_populate_record(null::operations, $6::jsonb) row
), claimed as (
  insert into idempotency_keys (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, created_at)
  select merchant_account_id, $8, $9, ${fingerprintColumns('$10')}, case when $11 like 'refund%' then $3::uuid else $2::uuid end, $11, $12::timestamptz
    from reserved where $9::text is not null
), story as (
  insert into transaction_events (merchant_account_id, transaction_id, id, entries)
  select merchant_account_id, id, $7::uuid, $13::json from reserved
), audited as (${auditEntrySql('reserved', '$14', { name: 'reserved.external_identifier' })}
)
select row_to_json(reserved) as transaction from reserved`)

/**
 * An operation on an existing transaction. No row back: the money or the state is not there any more, and nothing was written.
 * $1 account, $2 transaction, $3 operation, $4 amount, $5 allowance, $6 operation as JSON, $7 story id, $8 scope, $9 key, $10 fingerprint,
 * $11 representation, $12 now, $13 story entries, $14 the entry of the audit log.
 */
export const intendFollowUp: Record<FollowUpKind, string> = {
  capture: intendFollowUpSql(reservations.capture),
  void: intendFollowUpSql(reservations.void),
  cancel: intendFollowUpSql(reservations.cancel),
  increment: intendFollowUpSql(reservations.increment),
  refund: intendFollowUpSql(reservations.refund),
  'gift-card-refund': intendFollowUpSql(reservations['gift-card-refund']),
}

/** One JSON list after the other. Nearly always one of them is empty, and the other is kept as it was sent. */
export const appendedJson = (list: string, more: string) =>
  `case when ${more}::text = '[]' then ${list} when ${list}::text = '[]' then ${more} else (${list}::jsonb || ${more}::jsonb)::json end`

/**
 * Writes an outcome on the operation and what it changes on the transaction. It settles an operation once: a second settler finds none in a
 * status it may leave ($4; `sent 0`: only while nobody has looked at it) and writes nothing. Should the transaction have left what the change was computed from ($16; for a capture also
 * $34 and $35), or another operation be under way where one is to follow ($26), the statement violates `transactions_status_known` and is taken back whole, to be computed again.
 * A payment that comes to nothing is not held for review any more, and one whose capture was held until it was voided has failed (SEMANTICS §3.2).
 */
const recordOutcomeSql = ({
  changes,
  also,
  held = 't.pending_review',
  shows = '',
}: {
  changes: string
  also: string
  held?: string
  shows?: string
}) =>
  withSharedCommit(`
with settled as (
  update operations
     set status = $5, effective_amount = $6::bigint, payment_service_operation_id = coalesce($7, payment_service_operation_id), error_code = $8,
         event_count = event_count + ${countEvents('operation', '$14')}, facts = jsonb_strip_nulls(facts || $9::jsonb), exchanges = ${appendedJson('exchanges', '$10::json')}, check_at = $11::timestamptz, checks = $12::int, updated_at = $3::timestamptz,
         settled_at = case when $5 in ('approved', 'declined', 'failed') then $3::timestamptz end,
         payment_service_transaction_id = coalesce($28, payment_service_transaction_id),
         journal_position = case when $5 in ('approved', 'declined', 'failed') then event_position() end
   where merchant_account_id = $1 and id = $2 and (status = any($4::text[]) or status || ' ' || checks = any($4::text[]))
  returning *
), moved as (
  update transactions t
     set status = case when t.status = $16 and ($34::bigint is null or (t.captured_amount, t.capture_reserved) = ($34::bigint, $35::bigint))
                        and ($26::uuid is null or coalesce(t.active_operation_id, $2) = $2)
                       then $17 else 'moved meanwhile' end,
         intent_outcome = coalesce(case when t.intent_outcome = 'pending' then coalesce($18, case when t.pending_review and $17 = 'authorization_voided' then 'failed' end) end, t.intent_outcome),
         pending_review = ${held} and $17 not in ('authorization_voided', 'authorization_failed'),
         amount = t.amount + $19::bigint, authorized_amount = t.authorized_amount + $20::bigint, captured_amount = t.captured_amount + $21::bigint,
         refunded_amount = t.refunded_amount + $22::bigint, capture_reserved = t.capture_reserved + $23::bigint, refund_reserved = t.refund_reserved + $24::bigint,
         capture_closed = coalesce($25, t.capture_closed), event_count = t.event_count + ${countEvents('transaction', '$14')},
         active_operation_id = case when coalesce(t.active_operation_id, $2) = $2 and $5 <> 'unknown' then $26::uuid else t.active_operation_id end,
         error_code = case when $31 = 'canceled_at' then 'canceled' when $27 or (s.kind = 'redeem' and $8 is not null) then $8 else t.error_code end,
         facts = case when $27 then jsonb_strip_nulls($9::jsonb) else t.facts end,
         payment_service_transaction_id = coalesce($28, t.payment_service_transaction_id),
         payment_service_id = coalesce($29::uuid, t.payment_service_id), payment_service = coalesce($30::jsonb, t.payment_service),
         authorized_at = case when $31 = 'authorized_at' or ($31 = 'captured_at' and t.authorized_at is null) then $3::timestamptz else t.authorized_at end,
         captured_at = case when $31 = 'captured_at' then $3::timestamptz else t.captured_at end,
         voided_at = case when $31 = 'voided_at' then $3::timestamptz else t.voided_at end,
         canceled_at = case when $31 = 'canceled_at' then $3::timestamptz else t.canceled_at end,
         buyer_approval_timedout_at = case when $31 = 'buyer_approval_timedout_at' then $3::timestamptz else t.buyer_approval_timedout_at end,
         approval = case when $36::jsonb is null then t.approval else coalesce(t.approval, '{}') || $36::jsonb end, identifiers = case when $37::jsonb is null then t.identifiers else coalesce(t.identifiers, '{}') || $37::jsonb end,
         shipping_details = coalesce($38::jsonb, t.shipping_details),${changes}
         updated_at = $3::timestamptz
    from settled s
   where t.merchant_account_id = s.merchant_account_id and t.id = s.transaction_id
  returning t.*
), canceled as (
  update operations o
     set status = 'failed', error_code = 'canceled', check_at = null, updated_at = $3::timestamptz, settled_at = $3::timestamptz, journal_position = event_position()
    from moved m
   where o.merchant_account_id = m.merchant_account_id and o.transaction_id = m.id and o.id <> $2
     and o.kind in ('authentication', 'approval', 'authorize', 'sale') and o.status = 'pending' and $31 = 'canceled_at'
), ${also}following_payment as (
  insert into transactions select row.* from settled, jsonb_populate_recordset(null::transactions, $32) row
), following as (
  insert into operations select row.* from settled, jsonb_populate_recordset(null::operations, $33) row
), story as (
  insert into transaction_events (merchant_account_id, transaction_id, id, entries)
  select $1, (entry->>'transaction_id')::uuid, (entry->>'id')::uuid, entry->'entries' from settled, json_array_elements($13::json) entry
), told as (
  insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
  select $1, event.id, event.name, case event.target when 'transaction' then m.id else s.id end,
         event.ordinal + case event.target when 'transaction' then m.event_count - ${countEvents('transaction', '$14')} else s.event_count - ${countEvents('operation', '$14')} end,
         case event.target when 'transaction' then ${transactionTarget('m')} else ${operationTarget('s')} end, $3::timestamptz
    from moved m, settled s, jsonb_to_recordset($14) event (id uuid, name text, target text, ordinal int)
), answered as (
  update idempotency_keys k set answer = json_build_object('transaction', row_to_json(m), 'operation', row_to_json(s))
    from moved m, settled s
   where k.merchant_account_id = s.merchant_account_id and k.scope = s.idempotency_scope and k.key = s.idempotency_key and k.answer is null and $15
  returning true
)
select row_to_json(m) as transaction, row_to_json(s) as operation,
       $15 and s.idempotency_key is not null and not exists (select from answered) as answered_before${shows}
  from moved m, settled s`)

const wholeOutcomeParts = {
  changes: `
         three_d_secure = coalesce($43::jsonb, t.three_d_secure), anti_fraud = coalesce($44::jsonb, t.anti_fraud),
         approval_expires_at = coalesce($46::timestamptz, t.approval_expires_at),
         gift_cards = case when $40::jsonb is null then t.gift_cards else redemptions_after(t.gift_cards, $40::jsonb) end,
         payment_method = case $39 when 'confirmed' then t.payment_method - 'provisional'
                                   when 'refused' then case when t.payment_method ? 'provisional' then t.payment_method - 'provisional' - 'id' else t.payment_method end
                          else t.payment_method end,`,
  held: 'coalesce($45, t.pending_review)',
  also: `confirmed as (
  update payment_methods p
     set provisional = false, status = 'succeeded', updated_at = $3::timestamptz,
         scheme_transaction_id = coalesce(p.scheme_transaction_id, new.scheme_transaction_id),
         scheme_transaction_id_scheme = case when p.scheme_transaction_id is null and new.scheme_transaction_id is not null then p.scheme else p.scheme_transaction_id_scheme end
    from (select m.*, case when not m.merchant_initiated then m.facts->>'scheme_transaction_id' end as scheme_transaction_id from moved m) new
   where $39 = 'confirmed' and p.merchant_account_id = new.merchant_account_id and p.id = (new.payment_method->>'id')::uuid
     and (p.provisional or p.status <> 'succeeded' or (p.scheme_transaction_id is null and new.scheme_transaction_id is not null))
  returning p.*
), tokenized as (
  insert into network_tokens (merchant_account_id, id, payment_method_id, status, scheme, check_at, created_at, updated_at)
  select c.merchant_account_id, gen_random_uuid(), c.id, 'requested', c.scheme, $3::timestamptz, $3::timestamptz, $3::timestamptz
    from confirmed c join merchant_accounts a on a.id = c.merchant_account_id
   where a.async_network_tokens_enabled and c.mode = 'card' and a.identifiers->>(c.scheme || '_network_tokens_requestor_id') is not null
      on conflict (merchant_account_id, payment_method_id) where status <> 'inactive' do nothing
), refused as (
  delete from payment_methods p using settled s, transactions t
   where $39 = 'refused' and t.merchant_account_id = s.merchant_account_id and t.id = s.transaction_id
     and p.merchant_account_id = t.merchant_account_id and p.id = (t.payment_method->>'id')::uuid and p.provisional
), let_go as (
  delete from held_instruments h using moved m where $47::boolean and h.merchant_account_id = m.merchant_account_id and h.id = m.id
), reopened as (
  update transactions earlier set capture_closed = false
    from moved m
   where m.status = 'authorization_failed' and $16 <> 'authorization_failed' and earlier.merchant_account_id = m.merchant_account_id and earlier.id = m.reauthorized_from_transaction_id
), gift_card_used as (
  update gift_cards g
     set usage_count = usage_count + 1, last_used_at = $3::timestamptz,
         cit_usage_count = cit_usage_count + case when m.merchant_initiated then 0 else 1 end,
         cit_last_used_at = case when m.merchant_initiated then cit_last_used_at else $3::timestamptz end
    from moved m
   where $41::uuid is not null and g.merchant_account_id = m.merchant_account_id and g.id = $41::uuid
), gift_card_filled as (
  update gift_cards g
     set archived_at = null
    from moved m
   where $42::uuid is not null and g.merchant_account_id = m.merchant_account_id and g.id = $42::uuid and g.archived_at is not null
     and not exists (select from gift_cards other where other.merchant_account_id = g.merchant_account_id and other.buyer_id = g.buyer_id
                        and other.fingerprint = g.fingerprint and other.archived_at is null)
), `,
} as const

export const recordOutcome = {
  plain: recordOutcomeSql({ changes: '', also: '' }),
  /** What pays is something else from now on: $39 says what ($39 null: as before), $40 what is shown of a card that replaces the refused one, $41 what rules decided about it. */
  withInstrument: recordOutcomeSql({
    changes: `
         instrument_type = coalesce($39, t.instrument_type), payment_method = t.payment_method || coalesce($40::jsonb, '{}'),
         actions = case when $41::jsonb is null then t.actions else coalesce(t.actions, '[]') || $41::jsonb end,`,
    also: '',
  }),
  /**
   * The payment's stored method too ($39): a success confirms it, a refusal takes away one that was to be stored with it. And its gift card redemptions
   * ($40, as `redemptions_after` takes them), with the use of a stored card ($41). One that money goes back to ($42) is not archived any more, unless
   * its buyer has stored the same card anew. A card that is confirmed is given a network token later, where the account wants that (SEMANTICS §5.4).
   * What the checks before the money step found: 3-D Secure ($43), an anti-fraud service ($44), whether it holds the capture ($45); until when a cardholder may answer ($46). Whether nobody will pay any more with
   * the card that was held meanwhile ($47). A payment that fails gives back to the one that it renewed that it may be captured.
   */
  whole: recordOutcomeSql(wholeOutcomeParts),
  /** A payment through a payment link: what the outcome means for the link, in the same commit. $48: the id of the link's event. */
  throughLink: recordOutcomeSql({
    ...wholeOutcomeParts,
    also: `${wholeOutcomeParts.also}${updateLinkStatus('moved', '$3::timestamptz')}, ${writeLinkEvent('$48::uuid')}, `,
    shows: ', (select declines from link_moved) as link_declines',
  }),
} as const

/** Takes operations whose time has come, each for one process only, and gives them a new time in case that process dies too. */
export const claimDueOperations = `
with due as (
  select merchant_account_id, id from operations where check_at <= $1::timestamptz and ${isInCurrentTimeSql('merchant_account_id', 4)} order by check_at limit $3 for update skip locked
)
update operations o set check_at = $2::timestamptz, checks = checks + 1
  from due where o.merchant_account_id = due.merchant_account_id and o.id = due.id
returning row_to_json(o) as operation`

/** An operation in one of the statuses $3 is about to be sent; what was queued is on its way from then on, and recovery looks at it at $4. */
export const claimForSending = `
update operations set checks = checks + 1, check_at = case status when 'queued' then $4::timestamptz else check_at end, status = case status when 'queued' then 'sent' else status end
 where merchant_account_id = $1 and id = $2 and status = any($3::text[])
returning row_to_json(operations) as operation`

/** Looks again later at an operation whose outcome is still open. $4: the statuses that it may be in. */
export const postponeRecovery = `
update operations set check_at = $3::timestamptz where merchant_account_id = $1 and id = $2 and status = any($4::text[])`
