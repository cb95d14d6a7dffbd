import { timeOf } from '../base/clock.ts'
import type { Statements } from '../database/statements.ts'

/** What a verification found: one entry for each finding and each broken link, by their account. */
export interface VerifiedAccounts {
  findings: readonly string[]
  brokenLinks: readonly string[]
}

const upsert = `
insert into verifications (merchant_account_id, verified_at, findings, broken_links)
select id, $1::timestamptz,
       (select count(*) from unnest($2::text[]) account where account = id),
       (select count(*) from unnest($3::text[]) account where account = id)
  from account_shards a (id)
    on conflict (merchant_account_id) do update
   set verified_at = excluded.verified_at,
       findings = excluded.findings,
       broken_links = excluded.broken_links`

/** Keeps the result of a verification for each merchant account, in place of the one before. */
export const keepVerification = async (
  run: Statements,
  clock: Parameters<typeof timeOf>[0],
  { findings, brokenLinks }: VerifiedAccounts,
): Promise<void> => void (await run(upsert, [timeOf(clock), findings, brokenLinks]))
