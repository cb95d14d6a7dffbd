import { horizonOf } from '../database/event-log.ts'
import { timestamp } from '../database/timestamp.ts'
import { makeRounds, type Rounds } from '../rounds.ts'
import { timeOf, type World } from '../world.ts'
import { type AuditSealRow, chainLink, entriesBetween } from './audit-chain.ts'

type LastSeal = Pick<AuditSealRow, 'number' | 'position' | 'hash'>
type Due = { account: string } & { [Column in keyof LastSeal]: LastSeal[Column] | null }

/** Accounts with entries that are final and that no link has, each with the end of its chain: two looks at an index for each account. */
const due = `
select a.id as account, last.number, last.position, last.hash
  from merchant_accounts a
  left join lateral (select number, position, hash from audit_seals s where s.merchant_account_id = a.id order by number desc limit 1) last on true
 where exists (select from audit_entries e where e.merchant_account_id = a.id and e.position >= coalesce(last.position, '-9223372036854775808'::bigint) and e.position < $1)`

/**
 * Seals what was written into the audit log, in every process, every few seconds. What is below the horizon is final: an entry that commits later
 * has a higher position. Answers how many accounts got a link.
 */
export async function sealAuditLogs(world: World, stopped: () => boolean = () => false): Promise<number> {
  const horizon = await horizonOf(world)
  let sealed = 0
  for (const { account, number, position, hash } of await world.run<Due>(due, [horizon])) {
    if (stopped()) break
    const last = number === null || position === null || hash === null ? undefined : { number, position, hash }
    if (await sealAccount(world, account, last, horizon)) sealed += 1
  }
  return sealed
}

const insert = `
insert into audit_seals (merchant_account_id, number, position, entries, hash, created_at) values ($1, $2, $3, $4, $5, $6)
on conflict do nothing returning number`

/** False: another process was first; the primary key decides. */
async function sealAccount(world: World, account: string, last: LastSeal | undefined, horizon: number): Promise<boolean> {
  const number = (last?.number ?? 0) + 1
  const link = chainLink(world.cipher, account, number, last?.hash)
  for await (const entry of entriesBetween(world.run, account, last?.position, horizon)) link.add(entry)
  const createdAt = timestamp(timeOf(world.clock))
  const hash = link.hash(horizon, createdAt)
  const [won] = await world.run(insert, [account, number, horizon, link.entries(), hash, createdAt])
  // kept elsewhere, this line proves that the end of the chain was not cut off: `railyard verify --audit-head`
  if (won) world.log.info({ account, number, hash: hash.toString('hex') }, 'audit seal')
  return won !== undefined
}

export const startSealing = (world: World): Rounds =>
  makeRounds(
    world.settings.recoveryInterval,
    (stopped) => sealAuditLogs(world, stopped),
    (error) => world.log.error({ err: error }, 'the audit log could not be sealed'),
  )
