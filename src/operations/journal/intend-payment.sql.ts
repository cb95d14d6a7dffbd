import { auditEntrySql } from '../../database/logs/audit-log.ts'
import { type NamedStatement, namedStatement } from '../../database/named-statement.ts'
import { withSharedCommit } from '../../database/statements.ts'
import { openCheckout, openDelegation } from './delegated-payment.sql.ts'
import { transactionTarget } from './event-target.sql.ts'
import { insertClaim, insertEvents, insertTimeline } from './journal-ctes.sql.ts'
import { writeLinkEvent } from './payment-link.sql.ts'

const parameters = [
  /** The transaction, as JSON. */
  'transaction',
  /** Its first operation in a list; an empty one where no payment service is asked. */
  'operations',
  'timelineId',
  'timelineEntries',
  'timelinePacked',
  'idempotencyScope',
  /** Null: the request has no idempotency key. */
  'idempotencyKey',
  'fingerprint',
  'representation',
  /** Outbox events, numbered. */
  'events',
  'auditEntry',
] as const

type Parameters<More extends string> = Readonly<Record<(typeof parameters)[number] | More, string>>

/**
 * What else the statement of a payment does: `first` before the transaction is created, which is only where
 * `guard` holds, and `after` it. It answers a row where it was created.
 */
interface Parts {
  first?: string
  guard?: string
  after?: string
  answers?: string
}

const insertFirstTimeline = (p: Parameters<never>) =>
  insertTimeline('created', {
    id: p.timelineId,
    entries: p.timelineEntries,
    packed: p.timelinePacked,
  })

function intendPaymentStatement<const More extends string>(
  more: readonly More[],
  partsOf: (p: Parameters<More>) => Parts,
): NamedStatement<(typeof parameters)[number] | More> {
  const statement = namedStatement([...parameters, ...more], (p) => {
    const {
      first = '',
      guard = '',
      after = '',
      answers = `${insertFirstTimeline(p)}\nreturning 1 as one`,
    } = partsOf(p)
    return `
with ${first}created as (
  insert into transactions
  select row.*
    from jsonb_populate_record(null::transactions, ${p.transaction}) row
   ${guard}
  returning *
), intended as (
  insert into operations
  select row.*
    from jsonb_populate_recordset(null::operations, ${p.operations}) row
   ${guard && 'where exists (select from created)'}
), claimed as (${insertClaim(p, {
      from: 'created',
      answer: `case when jsonb_array_length(${p.operations}) = 0 then json_build_object('transaction', row_to_json(created)) end`,
    })}
), outbox as (${insertEvents({
      from: `created, jsonb_to_recordset(${p.events}) event (id uuid, name text, ordinal int)`,
      targetId: 'created.id',
      sequence: 'event.ordinal',
      target: transactionTarget('created'),
      createdAt: 'created_at',
    })}
), audited as (${auditEntrySql('created', p.auditEntry, { name: 'created.external_identifier' })}
)${after}
${answers}`
  })
  withSharedCommit(statement.text)
  return statement
}

/** Counts the use of a stored method, unless it was deleted meanwhile. */
const countMethodUse = (p: Parameters<never>, id: string) => `update payment_methods p
     set usage_count = usage_count + 1,
         last_used_at = given.created_at,
         cit_usage_count = cit_usage_count + case when given.merchant_initiated then 0 else 1 end,
         cit_last_used_at = case when given.merchant_initiated then cit_last_used_at else given.created_at end
    from (select ${p.transaction}::jsonb->>'merchant_account_id' as account,
                 (${p.transaction}::jsonb->>'created_at')::timestamptz as created_at,
                 (${p.transaction}::jsonb->>'merchant_initiated')::boolean as merchant_initiated) given
   where p.merchant_account_id = given.account
     and p.id = ${id}::uuid
     and not p.provisional`

const delegationParameters = ['delegatedPaymentId', 'checkoutSession'] as const

/** What `openDelegation` and `openCheckout` compare. */
const givenPayment = (p: Parameters<never>) => `given as (
  select ${p.transaction}::jsonb->>'merchant_account_id' as account,
         ${p.transaction}::jsonb->>'currency' as currency,
         (${p.transaction}::jsonb->>'amount')::bigint as amount,
         (${p.transaction}::jsonb->>'created_at')::timestamptz as created_at
)`

const reserveDelegation = (p: Parameters<'delegatedPaymentId'>) => `, delegation_reserved as (
  update delegated_payments d
     set transaction_id = created.id,
         reserved_amount = created.amount,
         updated_at = created.created_at
    from created
   where d.merchant_account_id = created.merchant_account_id
     and d.id = ${p.delegatedPaymentId}::uuid
     and created.status = 'processing'
)`

/**
 * A payment: the transaction, its first operation, the claim on the idempotency key, the timeline, the outbox
 * and the audit log, in one commit. A key that is taken violates `idempotency_keys_pkey`, and nothing is
 * written.
 */
export const intendPayment = {
  plain: intendPaymentStatement([], () => ({})),

  /** A wallet's token is used up in the same commit: another payment's violates `used_wallet_tokens_pkey`. */
  fromWallet: intendPaymentStatement(['walletToken'], (p) => ({
    after: `, used_up as (
  insert into used_wallet_tokens (merchant_account_id, source, token, usable_until)
  select created.merchant_account_id,
         token.source,
         decode(token.hash, 'hex'),
         token.usable_until
    from created,
         jsonb_to_record(${p.walletToken}) token (source text, hash text, usable_until timestamptz)
)`,
  })),

  /**
   * With a stored payment method, whose use is counted. No row: it was deleted meanwhile, and nothing was
   * written.
   */
  withStoredMethod: intendPaymentStatement(['storedMethodId'], (p) => ({
    first: `used as (
  ${countMethodUse(p, p.storedMethodId)}
  returning p.id
), `,
    guard: 'where exists (select from used)',
  })),

  /** With a payment method that is stored provisionally, until the payment succeeds. */
  storingMethod: intendPaymentStatement(['methodToStore'], (p) => ({
    first: `stored as (
  insert into payment_methods
  select row.*
    from jsonb_populate_record(null::payment_methods, ${p.methodToStore}::jsonb) row
), `,
  })),

  /**
   * With a delegated payment: the statement that makes the payment reserves it, so that it pays once, however
   * many requests try at once. No row: it does not allow this payment any more, and nothing was written. A
   * payment that fails before a payment service is asked leaves it as it is.
   */
  delegated: intendPaymentStatement(delegationParameters, (p) => ({
    first: `${givenPayment(p)}, ${openDelegation(p)}, `,
    guard: 'where exists (select from open_delegation)',
    after: reserveDelegation(p),
  })),

  /**
   * With a delegated payment, for an agentic checkout: the statement takes the checkout as well, so that it has
   * one payment, of the price that the platform was shown, however many requests try at once. No row: one of
   * them does not allow this payment, and nothing was written.
   */
  completingCheckout: intendPaymentStatement(
    [...delegationParameters, 'checkoutId', 'checkoutRevision'],
    (p) => ({
      first: `${givenPayment(p)}, ${openDelegation(p)}, ${openCheckout(p)}, `,
      guard: 'where exists (select from open_checkout)',
      after: `${reserveDelegation(p)}, checkout_taken as (
  update agentic_checkouts c
     set status = 'completing',
         transaction_id = created.id,
         error_code = null,
         updated_at = created.created_at
    from created
   where c.merchant_account_id = created.merchant_account_id
     and c.id = ${p.checkoutId}::uuid
     and created.status = 'processing'
)`,
    }),
  ),

  /**
   * Through a payment link: the statement that makes the payment takes the link as well, so that a link has
   * one payment at most, however many buyers try at once. A payment that fails before a payment service is
   * asked leaves the link as it is.
   */
  throughLink: intendPaymentStatement(['methodToStore', 'storedMethodId', 'linkId', 'linkEventId'], (p) => ({
    first: `given as (
  select ${p.transaction}::jsonb->>'merchant_account_id' as account,
         (${p.transaction}::jsonb->>'created_at')::timestamptz as created_at
), open_link as (
  select l.id
    from payment_links l, given
   where l.merchant_account_id = given.account
     and l.id = ${p.linkId}::uuid
     and l.status = 'active'
     and l.expires_at > given.created_at
     for update of l
), used as (
  ${countMethodUse(p, p.storedMethodId)}
     and exists (select from open_link)
  returning p.id
), stored as (
  insert into payment_methods
  select row.*
    from jsonb_populate_record(null::payment_methods, ${p.methodToStore}::jsonb) row
   where ${p.methodToStore}::jsonb is not null
     and exists (select from open_link)
), `,
    guard: `where exists (select from open_link)
     and (${p.storedMethodId}::uuid is null or exists (select from used))`,
    after: `, taken as (
  update payment_links l
     set transaction_id = created.id,
         status = case when created.status = 'processing' then 'processing' else l.status end,
         updated_at = case when created.status = 'processing' then created.created_at else l.updated_at end
    from created
   where l.merchant_account_id = created.merchant_account_id
     and l.id = ${p.linkId}::uuid
  returning l.*
), link_moved as (
  select * from taken where status = 'processing'
), ${writeLinkEvent(`${p.linkEventId}::uuid`)}, timeline as (${insertFirstTimeline(p)}
)`,
    answers: `
select exists (select from open_link) as open,
       exists (select from created) as created`,
  })),
} as const
