-- Which operations of an account need the approval of other people (src/approvals).
create table approval_policies (
  merchant_account_id text not null references merchant_accounts (id),
  id uuid not null,
  display_name text not null,
  operations text[] not null,
  -- [{ currency, amount }]: money up to the amount needs no approval. Empty, or another currency: any amount does
  thresholds jsonb not null,
  -- slugs of roles and ids of users; both empty: every person with the scope
  approver_role_ids text[] not null,
  approver_user_ids uuid[] not null,
  required_approvals int not null check (required_approvals > 0),
  open_for_hours int not null check (open_for_hours > 0),
  active boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id)
);
create trigger announced after insert or update or delete on approval_policies for each statement execute function announce_change('approval_policies');

-- Requests that wait for approval, and what became of them.
create table proposals (
  merchant_account_id text not null references merchant_accounts (id),
  -- also the idempotency key of the request
  id uuid not null,
  status text not null check (status in ('pending', 'approved', 'executing', 'executed', 'failed', 'rejected', 'withdrawn', 'expired', 'stale')),
  requester_type text not null check (requester_type in ('user', 'api-key-pair')),
  requester_id uuid not null,
  requester_name text not null,
  requester_email_address text,
  -- of the token with which a key pair has proposed; null: a person's
  token_scopes text[],
  idempotency_key text,
  method text not null,
  path text not null,
  -- the body under the instance's cipher; null: there is none, or it was erased when the proposal ended
  body bytea,
  -- the body as people see it, without secrets
  shown_body json,
  -- SHA-256 over the method, the path and the canonical form of the body
  hash bytea not null,
  reason text not null,
  operations text[] not null,
  resource_type text,
  resource_id text,
  amount bigint,
  currency text,
  -- members of the resource on which the decision depends
  preconditions jsonb not null,
  -- [{ policy_id, display_name, approver_role_ids, approver_user_ids, required_approvals }]
  requirements jsonb not null,
  expires_at timestamptz not null,
  approved_at timestamptz,
  ended_at timestamptz,
  -- the number of the latest attempt to execute it; a change under an earlier number is refused (fence_proposal)
  attempt int not null default 0,
  -- when it is executed, or when the lease of the present attempt ends
  due_at timestamptz,
  -- { status_code, resource_id, error }
  result jsonb,
  -- the whole answer under the instance's cipher, if it has a credential, until the requester has taken it
  answer bytea,
  -- [{ member, was, is }] of a stale proposal
  changes jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  constraint proposals_due_while_approved check ((status in ('approved', 'executing')) = (due_at is not null))
);
create unique index proposals_by_id on proposals (id);
create unique index proposals_by_idempotency_key on proposals (merchant_account_id, requester_id, idempotency_key) where idempotency_key is not null;
create index proposals_by_creation on proposals (merchant_account_id, created_at, id);
create index proposals_pending on proposals (merchant_account_id, expires_at) where status = 'pending';
create index proposals_due on proposals (due_at) where due_at is not null;

create table proposal_decisions (
  merchant_account_id text not null,
  proposal_id uuid not null,
  user_id uuid not null,
  user_name text not null,
  -- slugs of the person's roles at that time
  role_ids text[] not null,
  decision text not null check (decision in ('approved', 'rejected')),
  comment text,
  created_at timestamptz not null,
  primary key (merchant_account_id, proposal_id, user_id),
  foreign key (merchant_account_id, proposal_id) references proposals (merchant_account_id, id)
);

-- The proposal whose execution made the change.
alter table audit_entries add column proposal_id uuid;
create index audit_entries_of_proposals on audit_entries (proposal_id) where proposal_id is not null;

-- The id of the proposal if this is still its present attempt; it stays so until the transaction ends. Otherwise an error, so that a process that was
-- paused cannot change anything after another one has taken the proposal over. Null (strict) for a change without a proposal.
create function fence_proposal(proposal uuid, present_attempt int) returns uuid language plpgsql strict as $$
begin
  perform from proposals where id = proposal and attempt = present_attempt and status = 'executing' for update;
  if not found then
    raise exception 'another process has taken over proposal %', proposal;
  end if;
  return proposal;
end
$$;
