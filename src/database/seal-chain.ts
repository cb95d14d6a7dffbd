import { timeOf, type World } from '../world.ts'
import { type Chain, FIRST_POSITION, type Seal } from './chain.ts'
import { horizonOf } from './event-log.ts'
import { timestamp } from './timestamp.ts'

type LastSeal = Pick<Seal, 'number' | 'position' | 'hash'>
type Due = { account: string } & { [Column in keyof LastSeal]: LastSeal[Column] | null }

/** Accounts with something that is final and that no link has, each with the end of its chain: a few looks at an index for each account. */
const due = ({ seals, hasEntries }: Chain) => `
select a.id as account, last.number, last.position, last.hash
  from merchant_accounts a
  left join lateral (select number, position, hash from ${seals} s where s.merchant_account_id = a.id order by number desc limit 1) last on true
 where ${hasEntries(`coalesce(last.position, '${FIRST_POSITION}'::bigint)`, '$1')}`

/**
 * Seals what was written into a log, in every process, every few seconds. What is below the horizon is final: what commits later has a higher position. Answers how many links were made.
 */
export async function sealChain(world: World, chain: Chain, stopped: () => boolean = () => false): Promise<number> {
  const horizon = await horizonOf(world)
  let sealed = 0
  for (const { account, number, position, hash } of await world.run<Due>(due(chain), [horizon])) {
    let last = number === null || position === null || hash === null ? undefined : { number, position, hash }
    do {
      if (stopped()) return sealed
      const made = await sealNext(world, chain, { account, last, horizon })
      // another process was first, and goes on
      if (!made) break
      sealed += 1
      last = made
    } while (last.position < horizon)
  }
  return sealed
}

/** The next link of an account's chain. Undefined: another process has made it, as the primary key decides. */
async function sealNext(
  world: World,
  chain: Chain,
  { account, last, horizon }: { account: string; last: LastSeal | undefined; horizon: number },
): Promise<LastSeal | undefined> {
  const position = chain.end ? await chain.end(world.run, account, last?.position, horizon) : horizon
  const number = (last?.number ?? 0) + 1
  const createdAt = timestamp(timeOf(world.clock))
  const [link] = await chain.links(world.run, world.cipher, [{ account, number, before: last, position, createdAt }])
  if (!link) return undefined
  const { entries, hash } = link
  const [won] = await world.run(insert(chain), [account, number, position, entries, hash, createdAt])
  if (!won) return undefined
  // kept elsewhere, this line proves that the end of the chain was not cut off: `railyard verify --audit-head` and `--journal-head`
  world.log.info({ account, number, hash: hash.toString('hex') }, chain.name)
  return { number, position, hash }
}

const insert = ({ seals }: Chain) => `
insert into ${seals} (merchant_account_id, number, position, entries, hash, created_at) values ($1, $2, $3, $4, $5, $6)
on conflict do nothing returning number`
