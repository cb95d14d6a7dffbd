-- Disputes as payment services tell of them (src/transactions/disputes). `notices` has what they said, each notice once; the columns from `status` to `closed_at` are computed from it
-- (dispute-state.ts), so they are the same in whichever order the notices came.
create table disputes (
  merchant_account_id text not null,
  id uuid not null,
  payment_service_id uuid not null,
  payment_service_dispute_id text not null,
  -- null: Railyard knows no such payment
  transaction_id uuid,
  notices jsonb not null,
  status text not null check (status in ('inquiry', 'needs_response', 'under_review', 'won', 'lost', 'accepted', 'closed')),
  amount bigint not null check (amount >= 0),
  currency text not null,
  reason_code text,
  reason text,
  -- whether it was ever more than an inquiry
  is_chargeback boolean not null,
  withdrawn_amount bigint not null,
  returned_amount bigint not null,
  evidence_due_at timestamptz,
  opened_at timestamptz not null,
  closed_at timestamptz,
  -- why the payment service's word does not fit the payment; null: it fits
  discrepancy text check (discrepancy in ('unknown_transaction', 'other_currency', 'amount_exceeds')),
  evidence_submitted_at timestamptz,
  accepted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_account_id, id),
  unique (merchant_account_id, payment_service_id, payment_service_dispute_id),
  check (returned_amount >= 0 and returned_amount <= withdrawn_amount)
);

create index disputes_by_creation on disputes (merchant_account_id, created_at, id);
create index disputes_by_transaction on disputes (merchant_account_id, transaction_id);
create index disputes_by_evidence_due on disputes (merchant_account_id, evidence_due_at);

-- What disputes have taken of a payment and not given back, gross; null: nothing ever. Report lines and notices tell of the same movements of money, and each may be late: of what was
-- taken, and of what was given back, the larger of the two sums counts. `more_taken` and `more_returned`: lines that the calling statement books.
create function disputed_amount_of(account text, payment uuid, payment_currency text, more_taken bigint, more_returned bigint) returns bigint language sql stable as $$
  select case when lines.taken + more_taken > 0 or notified.taken > 0
              then greatest(lines.taken + more_taken, notified.taken) - greatest(lines.returned + more_returned, notified.returned) end
    from (select coalesce(sum(gross_amount) filter (where type = 'chargeback'), 0)::bigint as taken,
                 coalesce(sum(gross_amount) filter (where type = 'chargeback-reversal'), 0)::bigint as returned
            from settlements
           where merchant_account_id = account and transaction_id = payment) lines,
         (select coalesce(sum(withdrawn_amount), 0)::bigint as taken,
                 coalesce(sum(returned_amount), 0)::bigint as returned
            from disputes
           where merchant_account_id = account and transaction_id = payment and currency = payment_currency) notified
$$;

-- Also for a process of an earlier version, which counts the lines alone.
create or replace function count_disputes() returns trigger language plpgsql as $$
begin
  update transactions t
     set disputed_amount = disputed_amount_of(new.merchant_account_id, new.id, new.currency, 0, 0)
   where t.merchant_account_id = new.merchant_account_id and t.id = new.id
     and t.disputed_amount is distinct from disputed_amount_of(new.merchant_account_id, new.id, new.currency, 0, 0);
  return null;
end $$;
