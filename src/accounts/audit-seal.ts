import { horizonOf } from '../database/event-log.ts'
import { timestamp } from '../database/timestamp.ts'
import { makeRounds, type Rounds } from '../rounds.ts'
import { timeOf, type World } from '../world.ts'
import { type AuditSealRow, chainLink, entriesBetween } from './audit-chain.ts'

type LastSeal = Pick<AuditSealRow, 'number' | 'position' | 'hash'>
type Due = { account: string; generation: number } & { [Column in keyof LastSeal]: LastSeal[Column] | null }

/**
 * Accounts with the end of each one's chain, and the newest root secret in use. That is read together with the end of the chain, so that a link under a newer root secret is never followed by
 * one under an older.
 */
const chains = `
select a.id as account,
       coalesce((select max(generation) from root_secret where used_at is not null), 1) as generation,
       last.number,
       last.position,
       last.hash
  from merchant_accounts a
  left join lateral (select number, position, hash from audit_seals s where s.merchant_account_id = a.id order by number desc limit 1) last on true`

/** Those with entries that are final and that no link has: two looks at an index for each account. */
const due = `${chains}
 where exists (select from audit_entries e where e.merchant_account_id = a.id and e.position >= coalesce(last.position, '-9223372036854775808'::bigint) and e.position < $1)`

/**
 * Seals what was written into the audit log, in every process, every few seconds. What is below the horizon is final: an entry that commits later
 * has a higher position. Answers how many accounts got a link.
 */
export async function sealAuditLogs(world: World, stopped: () => boolean = () => false): Promise<number> {
  const horizon = await horizonOf(world)
  let sealed = 0
  for (const { account, generation, number, position, hash } of await world.run<Due>(due, [horizon])) {
    if (stopped()) break
    const last = number === null || position === null || hash === null ? undefined : { number, position, hash }
    if (await sealAccount(world, { account, generation }, last, horizon)) sealed += 1
  }
  return sealed
}

const insert = `
insert into audit_seals (merchant_account_id, number, position, entries, hash, created_at) values ($1, $2, $3, $4, $5, $6)
on conflict do nothing returning number`

type Sealer = Pick<World, 'run' | 'cipher' | 'clock' | 'log'>

/**
 * Adds a link to every chain under the root secret that is in use since now, also where nothing has happened: a chain that ends with an older one after that has been cut off, by
 * whoever knows the older one (`audit-verify.ts`). The root secret before sealed the links up to here.
 */
export async function sealChainsAnew(world: Sealer & Parameters<typeof horizonOf>[0]): Promise<void> {
  const horizon = await horizonOf(world)
  let overtaken = 0
  for (const { account, generation, number, position, hash } of await world.run<Due>(`${chains} where last.number is not null`, [])) {
    if (number === null || position === null || hash === null) continue
    if (!(await sealAccount(world, { account, generation }, { number, position, hash }, Math.max(horizon, position)))) overtaken += 1
  }
  // the link that another process made may be one that it began before
  if (overtaken > 0) await sealChainsAnew(world)
}

/** False: another process was first; the primary key decides. */
async function sealAccount(
  world: Sealer,
  { account, generation }: Pick<Due, 'account' | 'generation'>,
  last: LastSeal | undefined,
  horizon: number,
): Promise<boolean> {
  const number = (last?.number ?? 0) + 1
  const link = chainLink(world.cipher, generation, account, number, last?.hash)
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
