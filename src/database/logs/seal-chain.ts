import { timeOf } from '../../base/clock.ts'
import type { World } from '../../world.ts'
import { namedStatement } from '../named-statement.ts'
import { timestamp } from '../timestamp.ts'
import { type Chain, FIRST_POSITION, type Seal, sealerOf } from './chain.ts'
import { horizonOf } from './event-log.ts'

type SealingWorld = Pick<World, 'run' | 'cipher' | 'clock' | 'log'>

type LastSeal = Pick<Seal, 'number' | 'position' | 'hash'>
/** The end of an account's chain; nulls: it has no link yet. */
interface ChainEnd {
  account: string
  generation: number
  number: number | null
  position: number | null
  hash: Buffer | null
}

/**
 * Each account with the end of its chain, and the newest root secret in use. One statement reads both, so
 * that a link under a newer root secret is never followed by one under an older.
 */
const selectChainEnds = ({ seals }: Chain) => `
select a.id as account,
       coalesce((select max(generation) from root_secret where used_at is not null), 1) as generation,
       last.number,
       last.position,
       last.hash
  from account_shards a (id)
  left join lateral (select number, position, hash
                       from ${seals} s
                      where s.merchant_account_id = a.id
                      order by number desc
                      limit 1) last on true`

/** The accounts with final rows that no link covers: a few index lookups for each account. */
const selectDueChains = (chain: Chain) => `${selectChainEnds(chain)}
 where ${chain.hasEntries(`coalesce(last.position, '${FIRST_POSITION}'::bigint)`, '$1')}`

/**
 * Seals the final rows of a log. Every worker does this every second or so. Rows below the horizon are final:
 * later commits have higher positions. Returns the number of new links.
 */
export async function sealChain(
  world: SealingWorld,
  chain: Chain,
  isStopped: () => boolean = () => false,
): Promise<number> {
  const horizon = await horizonOf(world)
  let sealed = 0
  for (const end of await world.run<ChainEnd>(selectDueChains(chain), [horizon])) {
    let last = lastSealOf(end)
    do {
      if (isStopped()) return sealed
      const made = await sealNext(world, chain, { ...end, last, horizon })
      // another process was first, and continues
      if (!made) break
      sealed += 1
      last = made
    } while (last.position < horizon)
  }
  return sealed
}

const lastSealOf = ({ number, position, hash }: ChainEnd): LastSeal | undefined =>
  number === null || position === null || hash === null ? undefined : { number, position, hash }

/**
 * Adds a link under the root secret that is now in use to every chain that has links, also to chains without
 * new rows. From then on, a chain that ends with a link under an older secret was cut off by an attacker who
 * knows that secret (`verify-chain.ts`).
 */
export async function sealUnderNewSecret(world: SealingWorld, chain: Chain): Promise<void> {
  const horizon = await horizonOf(world)
  let overtaken = 0
  for (const end of await world.run<ChainEnd>(`${selectChainEnds(chain)} where last.number is not null`, []))
    if (!(await sealNext(world, chain, { ...end, last: lastSealOf(end), horizon }))) overtaken += 1
  // another process may have begun its link before the new root secret was in use
  if (overtaken > 0) await sealUnderNewSecret(world, chain)
}

interface Next {
  account: string
  generation: number
  last: LastSeal | undefined
  horizon: number
}

/**
 * Adds the next link to an account's chain. Undefined: another process has added it first; the primary key
 * decides.
 */
async function sealNext(
  world: SealingWorld,
  chain: Chain,
  { account, generation, last, horizon }: Next,
): Promise<LastSeal | undefined> {
  const position = await endOf(world, chain, { account, last, horizon })
  const number = (last?.number ?? 0) + 1
  const createdAt = timestamp(timeOf(world.clock))
  const [link] = await chain.links(world.run, sealerOf(world.cipher, generation), [
    { account, number, before: last, position, createdAt },
  ])
  if (!link) return undefined
  const { entries, hash } = link
  const [won] = await insertSeal(chain).run(world, { account, number, position, entries, hash, createdAt })
  if (!won) return undefined
  // stored outside of the database, this line proves later that the end of the chain was not cut off:
  // `railyard verify --audit-head` and `--journal-head`
  world.log.info({ account, number, hash: hash.toString('hex') }, chain.name)
  return { number, position, hash }
}

async function endOf(
  { run }: Pick<SealingWorld, 'run'>,
  chain: Chain,
  { account, last, horizon }: Omit<Next, 'generation'>,
): Promise<number> {
  if (last && horizon <= last.position) return last.position
  return chain.end ? chain.end(run, account, last?.position, horizon) : horizon
}

const insertSeal = ({ seals }: Chain) =>
  namedStatement(
    ['account', 'number', 'position', 'entries', 'hash', 'createdAt'],
    (p) => `
insert into ${seals} (merchant_account_id, number, position, entries, hash, created_at)
values (${p.account}, ${p.number}, ${p.position}, ${p.entries}, ${p.hash}, ${p.createdAt})
on conflict do nothing
returning number`,
  )
