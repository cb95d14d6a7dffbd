import { timeOf } from '../../base/clock.ts'
import type { World as Process } from '../../world.ts'
import { timestamp } from '../timestamp.ts'
import { type Chain, FIRST_POSITION, type Seal, sealerOf } from './chain.ts'
import { horizonOf } from './event-log.ts'

/** What sealing needs of a process. */
type SealingWorld = Pick<Process, 'run' | 'cipher' | 'clock' | 'log'>

type LastSeal = Pick<Seal, 'number' | 'position' | 'hash'>
type ChainEnd = { account: string; generation: number } & { [Column in keyof LastSeal]: LastSeal[Column] | null }

/**
 * Accounts with the end of each one's chain, and the newest root secret in use. That is read together with the end of the chain, so that a link under a newer root secret is never followed by
 * one under an older.
 */
const selectChainEnds = ({ seals }: Chain) => `
select a.id as account,
       coalesce((select max(generation) from root_secret where used_at is not null), 1) as generation,
       last.number,
       last.position,
       last.hash
  from merchant_accounts a
  left join lateral (select number, position, hash from ${seals} s where s.merchant_account_id = a.id order by number desc limit 1) last on true`

/** Those with something that is final and that no link has: a few looks at an index for each account. */
const selectDueChains = (chain: Chain) => `${selectChainEnds(chain)}
 where ${chain.hasEntries(`coalesce(last.position, '${FIRST_POSITION}'::bigint)`, '$1')}`

/**
 * Seals what was written into a log, in every process, every few seconds. What is below the horizon is final: what commits later has a higher position. Answers how many links were made.
 */
export async function sealChain(world: SealingWorld, chain: Chain, stopped: () => boolean = () => false): Promise<number> {
  const horizon = await horizonOf(world)
  let sealed = 0
  for (const end of await world.run<ChainEnd>(selectDueChains(chain), [horizon])) {
    let last = lastSealOf(end)
    do {
      if (stopped()) return sealed
      const made = await sealNext(world, chain, { ...end, last, horizon })
      // another process was first, and goes on
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
 * Adds a link under the root secret that is in use since now to every account's chain that has links, also where nothing has happened: a chain that ends with a link under an older one
 * after that has been cut off, by an attacker who knows the older one (`verify-chain.ts`). The root secret before sealed the links up to here.
 */
export async function sealUnderNewSecret(world: SealingWorld & Parameters<typeof horizonOf>[0], chain: Chain): Promise<void> {
  const horizon = await horizonOf(world)
  let overtaken = 0
  for (const end of await world.run<ChainEnd>(`${selectChainEnds(chain)} where last.number is not null`, []))
    if (!(await sealNext(world, chain, { ...end, last: lastSealOf(end), horizon }))) overtaken += 1
  // the link that another process made may be one that it began before
  if (overtaken > 0) await sealUnderNewSecret(world, chain)
}

interface Next {
  account: string
  generation: number
  last: LastSeal | undefined
  horizon: number
}

/** The next link of an account's chain. Undefined: another process has made it, as the primary key decides. */
async function sealNext(world: SealingWorld, chain: Chain, { account, generation, last, horizon }: Next): Promise<LastSeal | undefined> {
  const position = await endOf(world, chain, { account, last, horizon })
  const number = (last?.number ?? 0) + 1
  const createdAt = timestamp(timeOf(world.clock))
  const [link] = await chain.links(world.run, sealerOf(world.cipher, generation), [{ account, number, before: last, position, createdAt }])
  if (!link) return undefined
  const { entries, hash } = link
  const [won] = await world.run(insert(chain), [account, number, position, entries, hash, createdAt])
  if (!won) return undefined
  // kept elsewhere, this line proves that the end of the chain was not cut off: `railyard verify --audit-head` and `--journal-head`
  world.log.info({ account, number, hash: hash.toString('hex') }, chain.name)
  return { number, position, hash }
}

async function endOf({ run }: Pick<SealingWorld, 'run'>, chain: Chain, { account, last, horizon }: Omit<Next, 'generation'>): Promise<number> {
  if (last && horizon <= last.position) return last.position
  return chain.end ? chain.end(run, account, last?.position, horizon) : horizon
}

const insert = ({ seals }: Chain) => `
insert into ${seals} (merchant_account_id, number, position, entries, hash, created_at) values ($1, $2, $3, $4, $5, $6)
on conflict do nothing returning number`
