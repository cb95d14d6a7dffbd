import { fingerprintColumns } from '../../api/request/request-fingerprint.ts'
import { sqlFunction } from '../../database/sql-function.ts'

/** Adds to the parts that the stored answer to a full refund names, and answers all of them. */
export const addAnsweredParts = sqlFunction({
  name: 'add_answered_parts',
  parameters: {
    account: 'text',
    scope: 'text',
    key: 'text',
    fingerprint: 'bytea',
    transaction: 'uuid',
    representation: 'text',
    parts: 'json',
    now: 'timestamptz',
  },
  returns: 'json',
  body: (p) => `
declare
  stored json;
begin
  insert into idempotency_keys (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, answer, created_at)
  values (${p.account}, ${p.scope}, ${p.key}, ${fingerprintColumns(p.fingerprint)}, ${p.transaction}, ${p.representation}, json_build_object('parts', ${p.parts}), ${p.now})
      on conflict (merchant_account_id, scope, key) do nothing;
  select answer->'parts' into stored
    from idempotency_keys
   where merchant_account_id = ${p.account} and scope = ${p.scope} and key = ${p.key}
     for update;
  select json_agg(distinct part) into stored
    from (select json_array_elements_text(stored) union all select json_array_elements_text(${p.parts})) parts (part);
  update idempotency_keys
     set answer = json_build_object('parts', stored)
   where merchant_account_id = ${p.account} and scope = ${p.scope} and key = ${p.key};
  return stored;
end`,
})
