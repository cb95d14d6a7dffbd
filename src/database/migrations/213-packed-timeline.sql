-- Lines of the timeline stand among an operation's packed records. A version before takes all of these for calls: it would show lines as calls, and leave
-- personal data in them when it erases a payment. So lines are rows of their own while a process of such a version runs (vault/keys/service-processes.ts).
alter table service_processes
  -- whether the process tells lines from calls; a version before does not say
  add column reads_packed_timeline boolean not null default false;
