import { fingerprintColumns } from '../../../api/request/request-fingerprint.ts'
import { insertRow } from '../../../database/rows/insert-row.ts'

// steps that several functions of the journal have; each is one or several statements of PL/pgSQL

/** Parameters of a function that claims an idempotency key. The key is null where the request has none. */
export const claimTypes = {
  idempotencyScope: 'text',
  idempotencyKey: 'text',
  fingerprint: 'bytea',
  representation: 'text',
} as const

interface Claim {
  account: string
  /** The resource that the answer shows. */
  resourceId: string
  /** An answer that is known already; absent: the outcome stores it. */
  answer?: string
  createdAt: string
}

/** Claims the idempotency key, if the request has one. A key that is taken violates `idempotency_keys_pkey`. */
export const insertClaim = (
  p: Readonly<Record<keyof typeof claimTypes, string>>,
  { account, resourceId, answer = 'null', createdAt }: Claim,
): string => `
  if ${p.idempotencyKey} is not null then
    insert into idempotency_keys
           (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, answer, created_at)
    values (${account}, ${p.idempotencyScope}, ${p.idempotencyKey}, ${fingerprintColumns(p.fingerprint)}, ${resourceId}, ${p.representation}, ${answer}, ${createdAt});
  end if;`

/** Parameters of a function that writes a row of a payment's timeline. */
export const timelineTypes = { timelineId: 'uuid', timelineEntries: 'json', timelinePacked: 'bytea' } as const

/** Writes a row of the timeline of this transaction, if there are lines. */
export const insertTimeline = (
  p: Readonly<Record<keyof typeof timelineTypes, string>>,
  account: string,
  transaction: string,
): string => `
  if ${p.timelineEntries} is not null then
    insert into transaction_events (merchant_account_id, transaction_id, id, entries, packed)
    values (${account}, ${transaction}, ${p.timelineId}, ${p.timelineEntries}, ${p.timelinePacked});
  end if;`

/**
 * Inserts rows that are given as a JSON list of objects. `variable` is declared as a row of the table. One row
 * at a time, so that the server that has the account is known of each.
 */
export const insertRows = (table: 'transactions' | 'operations', variable: string, list: string): string => `
  for ${variable} in select * from jsonb_populate_recordset(null::${table}, ${list}) loop
    ${insertRow(table, variable)}
  end loop;`

interface Events {
  account: string
  /** The parameter with the events of `numberEvents`. */
  events: string
  /** Expressions that may use `event`: its id, name, target and ordinal. */
  targetId: string
  sequence: string
  target: string
  createdAt: string
}

/** The variables of `insertEvents`. */
export const eventVariables = `
  event record;
  event_target_id uuid;
  event_sequence int;
  event_target json;`

/** Writes events to the outbox. */
export const insertEvents = ({ account, events, targetId, sequence, target, createdAt }: Events): string => `
  for event in select * from jsonb_to_recordset(${events}) as given (id uuid, name text, target text, ordinal int) loop
    event_target_id := ${targetId};
    event_sequence := ${sequence};
    event_target := ${target};
    insert into events (merchant_account_id, id, name, target_id, sequence, target, created_at)
    values (${account}, event.id, event.name, event_target_id, event_sequence, event_target, ${createdAt});
  end loop;`

/**
 * Writes `auditEntry`, the parameter, for this account; `entry` is declared as a record. `name`: what an entry
 * without a name is called; `changes`: the values of a correction.
 */
export const insertAuditEntries = (
  account: string,
  parameter: string,
  name: string,
  changes = 'null',
): string => `
  for entry in select * from jsonb_to_recordset(${parameter}) as given (id uuid, action text, resource_type text, resource_id text,
      resource_name text, actor_type text, actor_id uuid, actor_name text, actor_email_address text, created_at timestamptz,
      proposal_account text, proposal_id uuid, proposal_attempt int) loop
    insert into audit_entries (merchant_account_id, id, action, resource_type, resource_id, resource_name, actor_type, actor_id,
           actor_name, actor_email_address, created_at, proposal_id, changes)
    values (${account}, entry.id, entry.action, entry.resource_type, entry.resource_id, coalesce(entry.resource_name, ${name}), entry.actor_type,
           entry.actor_id, entry.actor_name, entry.actor_email_address, entry.created_at,
           fence_proposal(entry.proposal_account, entry.proposal_id, entry.proposal_attempt), ${changes});
  end loop;`

/**
 * Stores the answer to the request whose key the operation has, unless it has one. `answeredBefore`: the
 * variable that becomes true if it has.
 */
export const storeAnswer = (
  account: string,
  operation: string,
  answer: string,
  answeredBefore: string,
): string => `
  if ${operation}.idempotency_key is not null then
    update idempotency_keys
       set answer = ${answer}
     where merchant_account_id = ${account}
       and scope = ${operation}.idempotency_scope
       and key = ${operation}.idempotency_key
       and answer is null;
    ${answeredBefore} := not found;
  end if;`
