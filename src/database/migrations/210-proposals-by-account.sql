-- `fence_proposal` with the account of the proposal, so that one server can tell which rows it locks (src/database/citus). Processes of the version before call
-- the one without it.
create function fence_proposal(account text, proposal uuid, present_attempt int) returns uuid language plpgsql strict as $$
begin
  perform from proposals where merchant_account_id = account and id = proposal and attempt = present_attempt and status = 'executing' for update;
  if not found then
    raise exception 'another process has taken over proposal %', proposal;
  end if;
  return proposal;
end
$$;
