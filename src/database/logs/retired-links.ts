import type { Cipher } from '../../base/cipher.ts'
import type { Statements } from '../statements.ts'
import {
  type Chain,
  FIRST_POSITION,
  type Link,
  type LinkRange,
  type RetiringLog,
  type Seal,
  sealerOf,
} from './chain.ts'

/** A link over the rows that a retirement left of it, in place of the link that was sealed. */
export interface RetiredLink extends Link {
  number: number
}

const selectRetired = `
select distinct on (l.number) l.number, l.entries, l.hash
  from retired_links l
  join retirements r
    on r.number = l.retirement
   and r.retired_at is not null
 where l.merchant_account_id = $1
   and l.number = any($2::int[])
 order by l.number, l.retirement desc`

/** What the newest retirement left of each of these links, by its number. Links without an answer are whole. */
export async function readRetiredLinks(
  run: Statements,
  chain: Chain,
  account: string,
  numbers: readonly number[],
): Promise<Map<number, RetiredLink>> {
  if (!chain.retiring || numbers.length === 0) return new Map()
  const rows = await run<RetiredLink>(selectRetired, [account, numbers])
  return new Map(rows.map((row) => [row.number, row]))
}

/** The number of the newest retirement; 0: there was none. */
export async function newestRetirement(run: Statements): Promise<number> {
  const [row] = await run<{ number: number }>(
    'select coalesce(max(number), 0) as number from retirements where retired_at is not null',
    [],
  )
  return row?.number ?? 0
}

/** A link that has rows of payments that are to be retired, and the one before it. */
type ConcernedSeal = Seal & { before_position: number | null; before_hash: Buffer | null }

const WINDOW = 500

const selectConcerned = (chain: Chain, retiring: RetiringLog) => `
select s.*,
       before.position as before_position,
       before.hash as before_hash
  from ${chain.seals} s
  left join ${chain.seals} before
    on before.merchant_account_id = s.merchant_account_id
   and before.number = s.number - 1
 where s.merchant_account_id = $1
   and s.number > $3
   and s.number <= $3 + ${WINDOW}
   and (${retiring.hasRows('$2::uuid', `coalesce(before.position, '${FIRST_POSITION}'::bigint)`, 's.position')})
 order by s.number`

interface Span {
  /** The number of the link before the first one that has such rows. */
  first: number
  /** The number of the last link. */
  last: number
  /** Whether such rows are in no link, although they have a place in the log. */
  unsealed: boolean
}

const selectSpan = (chain: Chain, retiring: RetiringLog) => `
select coalesce((select number - 1 from ${chain.seals} where merchant_account_id = $1 and position > span.first order by position, number limit 1), 0) as first,
       coalesce(newest.number, 0) as last,
       span.last >= coalesce(newest.position, '${FIRST_POSITION}'::bigint) as unsealed
  from (select ${retiring.span('$2::uuid', 'min')} as first,
               ${retiring.span('$2::uuid', 'max')} as last) span
  left join lateral (select number, position from ${chain.seals} where merchant_account_id = $1 order by number desc limit 1) newest on true
 where span.first is not null`

/** `broken`: the link with this number is not what was sealed; its rows must stay as the proof. */
type RetiredLinks = { links: RetiredLink[] } | { broken: number } | 'unsealed'

/**
 * Verifies every link of an account that has rows of payments with ids below `below`, and computes each over the
 * rows that stay, under the root secret of the link. Yields some links at a time; ends after a broken one.
 */
export async function* linksWithout(
  run: Statements,
  cipher: Pick<Cipher, 'mac' | 'generation'>,
  chain: Chain,
  account: string,
  below: string,
): AsyncGenerator<RetiredLinks> {
  const { retiring } = chain
  if (!retiring) return
  const [span] = await run<Span>(selectSpan(chain, retiring), [account, below])
  if (!span) return
  if (span.unsealed) {
    yield 'unsealed'
    return
  }
  for (let after = span.first; after < span.last; after += WINDOW) {
    const seals = await run<ConcernedSeal>(selectConcerned(chain, retiring), [account, below, after])
    const links = await verifiedWithout(run, cipher, chain, seals, below)
    yield links
    if ('broken' in links) return
  }
}

async function verifiedWithout(
  run: Statements,
  cipher: Pick<Cipher, 'mac' | 'generation'>,
  chain: Chain,
  seals: readonly ConcernedSeal[],
  below: string,
): Promise<{ links: RetiredLink[] } | { broken: number }> {
  const [first] = seals
  if (!first) return { links: [] }
  const account = first.merchant_account_id
  const retired = await readRetiredLinks(
    run,
    chain,
    account,
    seals.map(({ number }) => number),
  )
  const links: RetiredLink[] = []
  let left = seals
  for (let generation = cipher.generation(); generation >= 1 && left.length > 0; generation--) {
    const sealer = sealerOf(cipher, generation)
    const present = await chain.links(run, sealer, left.map(rangeOf))
    const isSealed = ({ number, hash }: Seal, index: number) =>
      present[index]?.hash.equals(retired.get(number)?.hash ?? hash) === true
    const verified = left.filter(isSealed)
    const staying = await chain.links(run, sealer, verified.map(rangeOf), below)
    links.push(...staying.map((link, index) => ({ ...link, number: verified[index]?.number ?? 0 })))
    left = left.filter((seal, index) => !isSealed(seal, index))
  }
  const [broken] = left
  return broken ? { broken: broken.number } : { links }
}

const rangeOf = ({
  merchant_account_id: account,
  number,
  position,
  created_at: createdAt,
  before_position,
  before_hash,
}: ConcernedSeal): LinkRange => ({
  account,
  number,
  position,
  createdAt,
  before:
    before_position === null || before_hash === null
      ? undefined
      : { position: before_position, hash: before_hash },
})
