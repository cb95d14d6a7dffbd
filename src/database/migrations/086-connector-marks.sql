-- What a connector notes of an operation in flight for itself (src/operations/journal/commit-mark.ts): when it found nothing for the first time, or which capture it refunds. Earlier
-- versions kept it in the column of the payment's id at the payment service.
alter table operations
  -- null: the connector has noted nothing
  add column mark text;

update operations
   set mark = payment_service_transaction_id,
       payment_service_transaction_id = null
 where check_at is not null
   and status in ('queued', 'sent', 'unknown', 'pending')
   and (kind = 'refund' or payment_service_transaction_id like 'absent-since-%' or payment_service_transaction_id = id::text);

-- While processes are replaced, one of an earlier version still writes its mark there.
create function move_mark() returns trigger language plpgsql as $$
begin
  new.mark := new.payment_service_transaction_id;
  new.payment_service_transaction_id := null;
  return new;
end $$;

create trigger marks_moved before update of payment_service_transaction_id on operations for each row
  when (new.payment_service_transaction_id is distinct from old.payment_service_transaction_id
        and new.status in ('sent', 'unknown')
        and new.updated_at = old.updated_at
        and (new.kind = 'refund' or new.payment_service_transaction_id like 'absent-since-%' or new.payment_service_transaction_id = new.id::text))
  execute function move_mark();
