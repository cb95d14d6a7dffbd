-- How many erasures of events there were. A receiver's answer is stored only if there was none since the queue was leased. Comes first: a lock that is not to
-- be had in time takes the index back, too.
alter table webhook_queues add column erasures bigint not null default 0;

-- `erased_at` is the `updated_at` of the payment as it was erased: with any other one the payment has changed since, also with an earlier one, by a process
-- whose clock is behind. Processes of the version before read the index in the same way: `erased_at < updated_at` implies its condition.
drop index transactions_to_erase;
create index transactions_to_erase on transactions (merchant_account_id, id) where erased_at <> updated_at;
