import type { Cipher } from '../../base/cipher.ts'
import { namedStatement } from '../named-statement.ts'
import type { Statements } from '../statements.ts'
import { type Chain, FIRST_POSITION, type Link, type LinkRange, type Seal, sealerOf } from './chain.ts'
import { newestRetirement, type RetiredLink, readRetiredLinks } from './retired-links.ts'

/** A wrong link of an account's chain. */
interface ChainFinding {
  account: string
  link: number
  problem: string
}

interface ChainVerification {
  sealed: number
  /** Rows since the last link, or all rows of an account without links. */
  unsealed: number
  findings: ChainFinding[]
}

/** A link that the operator has stored outside of the database: the chain must still contain it. */
export interface ChainHead {
  account: string
  number: number
  /** In hex, as it was logged. */
  hash: string
}

/** The root secrets of links. */
type RootKeys = Pick<Cipher, 'mac' | 'generation'>

/** Runs a check again while its findings may come from a replacement of the root secret. */
export type Recheck = <T>(check: () => Promise<T>, hasFindings: (result: T) => boolean) => Promise<T>

/**
 * Computes every link again from the rows, and compares it with the stored link and with `heads`. Reads a
 * batch at a time. `recheck`: if a replacement of the root secret may run meanwhile.
 */
export async function verifyChain(
  run: Statements,
  cipher: RootKeys,
  chain: Chain,
  heads: readonly ChainHead[] = [],
  recheck: Recheck = (check) => check(),
): Promise<ChainVerification> {
  const verification: ChainVerification = { sealed: 0, unsealed: 0, findings: [] }
  for (const { account } of await run<{ account: string }>(selectAccounts(chain), [])) {
    const { sealed, unsealed, findings } = await recheck(
      () => verifyUnlessRetired(run, cipher, chain, account),
      (verified) => verified.findings.length > 0,
    )
    verification.sealed += sealed
    verification.unsealed += unsealed
    verification.findings.push(...findings)
  }
  for (const head of heads) verification.findings.push(...(await verifyHead(run, chain, head)))
  return verification
}

// also ids that are no merchant account: rows that were moved to them are missing elsewhere
const selectAccounts = (chain: Chain) => `
select id as account from merchant_accounts union select merchant_account_id from ${chain.seals} union (${chain.accounts}) order by 1`

const selectLastSeal = ({ seals }: Chain) =>
  `select * from ${seals} where merchant_account_id = $1 order by number desc limit 1`

/** Again when rows were retired meanwhile, so that links and rows are of one time. */
async function verifyUnlessRetired(
  run: Statements,
  cipher: RootKeys,
  chain: Chain,
  account: string,
): Promise<ChainVerification> {
  const before = await newestRetirement(run)
  const verification = await verifyAccount(run, cipher, chain, account)
  return (await newestRetirement(run)) === before
    ? verification
    : verifyUnlessRetired(run, cipher, chain, account)
}

async function verifyAccount(
  run: Statements,
  cipher: RootKeys,
  chain: Chain,
  account: string,
): Promise<ChainVerification> {
  const findings: ChainFinding[] = []
  // reads up to the present last link: later links are for the next run
  const [end] = await run<Seal>(selectLastSeal(chain), [account])
  const [{ count: unsealed } = { count: 0 }] = await run<{ count: number }>(chain.countFrom, [
    account,
    end?.position ?? FIRST_POSITION,
  ])
  if (!end) return { sealed: 0, unsealed, findings }
  let sealed = 0
  let before: Seal | undefined
  // a link under an older root secret than the previous link is wrong
  let generation = 1
  for await (const seals of sealsUpTo(run, chain, account, end.number)) {
    const ranges = rangesOf(account, seals, before)
    const retired = await readRetiredLinks(run, chain, account, numbersOf(seals))
    let links = await chain.links(run, sealerOf(cipher, generation), ranges)
    for (const [index, whole] of seals.entries()) {
      const seal = leftOf(whole, retired)
      const later = links[index]?.hash.equals(seal.hash)
        ? undefined
        : await laterGeneration(run, cipher, chain, { generation, range: ranges[index], seal })
      if (later) {
        generation = later
        links = [
          ...links.slice(0, index),
          ...(await chain.links(run, sealerOf(cipher, generation), ranges.slice(index))),
        ]
      }
      const link = links[index] ?? { entries: 0, hash: Buffer.alloc(0) }
      sealed += link.entries
      const problem = problemOf(seal, before, link)
      if (problem) findings.push({ account, ...problem })
      before = whole
    }
  }
  if (generation < cipher.generation())
    findings.push({
      account,
      link: end.number,
      problem: 'is the last one and was made under an earlier root secret: links after it are missing',
    })
  return { sealed, unsealed, findings }
}

const numbersOf = (seals: readonly Seal[]): number[] => seals.map(({ number }) => number)

/** The link as it must be now: what the newest retirement left of it, or what was sealed. */
function leftOf(seal: Seal, retired: ReadonlyMap<number, RetiredLink>): Seal {
  const left = retired.get(seal.number)
  return left ? { ...seal, entries: left.entries, hash: left.hash } : seal
}

/** The links of a chain that have rows of interest, computed again. */
interface LinksVerification {
  links: number
  /** Rows that no link covers yet. */
  unsealed: number
  findings: Omit<ChainFinding, 'account'>[]
}

/** Computes the links again that cover rows at these positions, each with what the link before it was. */
export async function verifyLinks(
  run: Statements,
  cipher: RootKeys,
  chain: Chain,
  account: string,
  positions: readonly number[],
): Promise<LinksVerification> {
  const covering = await run<{ number: number | null; rows: number }>(selectCovering(chain), [
    account,
    positions,
  ])
  const numbers = covering.flatMap(({ number }) => number ?? [])
  const seals = await run<Seal>(selectWithPrevious(chain), [account, numbers])
  const retired = await readRetiredLinks(run, chain, account, numbers)
  const findings: LinksVerification['findings'] = []
  for (const number of numbers) {
    const numbered = (wanted: number) => seals.find((seal) => seal.number === wanted)
    const whole = numbered(number)
    const seal = whole && leftOf(whole, retired)
    const problem = seal && (await linkProblem(run, cipher, chain, seal, numbered(number - 1)))
    if (problem) findings.push(problem)
  }
  return {
    links: numbers.length,
    unsealed: covering.find(({ number }) => number === null)?.rows ?? 0,
    findings,
  }
}

/** The number of the link that covers each position; null: no link does yet. */
const selectCovering = ({ seals }: Chain) => `
select link.number,
       count(*)::int as rows
  from unnest($2::bigint[]) as sought (position)
  left join lateral (select s.number
                       from ${seals} s
                      where s.merchant_account_id = $1
                        and s.position > sought.position
                      order by s.position, s.number
                      limit 1) link on true
 group by link.number
 order by link.number`

const selectWithPrevious = ({ seals }: Chain) => `
select *
  from ${seals}
 where merchant_account_id = $1
   and number = any(array(select unnest($2::int[]) - previous from generate_series(0, 1) as previous))`

async function linkProblem(
  run: Statements,
  cipher: RootKeys,
  chain: Chain,
  seal: Seal,
  before: Seal | undefined,
): Promise<Omit<ChainFinding, 'account'> | undefined> {
  const ranges = rangesOf(seal.merchant_account_id, [seal], before)
  let link: Link = { entries: 0, hash: Buffer.alloc(0) }
  for (let generation = cipher.generation(); generation >= 1; generation--) {
    const [computed] = await chain.links(run, sealerOf(cipher, generation), ranges)
    if (computed) link = computed
    if (link.hash.equals(seal.hash)) break
  }
  return problemOf(seal, before, link)
}

const rangesOf = (account: string, seals: readonly Seal[], before: Seal | undefined): LinkRange[] =>
  seals.map((seal, index) => ({
    account,
    number: seal.number,
    before: index === 0 ? before : seals[index - 1],
    position: seal.position,
    createdAt: seal.created_at,
  }))

interface UnmatchedLink {
  generation: number
  range: LinkRange | undefined
  seal: Seal
}

/** The generation after `generation` under which a link was made. Undefined: none. */
async function laterGeneration(
  run: Statements,
  cipher: RootKeys,
  chain: Chain,
  { generation, range, seal }: UnmatchedLink,
): Promise<number | undefined> {
  if (!range) return undefined
  for (let later = generation + 1; later <= cipher.generation(); later++) {
    const [link] = await chain.links(run, sealerOf(cipher, later), [range])
    if (link?.hash.equals(seal.hash)) return later
  }
  return undefined
}

/** A wrong link is reported once: the links after it are computed over its stored hash. */
function problemOf(
  seal: Seal,
  before: Seal | undefined,
  link: Link,
): Omit<ChainFinding, 'account'> | undefined {
  const expected = (before?.number ?? 0) + 1
  if (seal.number !== expected) return { link: expected, problem: 'is missing' }
  if (link.entries !== seal.entries)
    return { link: seal.number, problem: `has ${link.entries} entries, and ${seal.entries} were sealed` }
  if (link.hash.equals(seal.hash)) return undefined
  return {
    link: seal.number,
    problem: 'is not what was sealed: an entry of it, or the seal itself, was changed',
  }
}

const BATCH = 500
const selectSeals = ({ seals }: Chain) =>
  namedStatement(
    ['account', 'after', 'upTo'],
    (p) => `
select *
  from ${seals}
 where merchant_account_id = ${p.account}
   and number > ${p.after}
   and number <= ${p.upTo}
 order by number
 limit ${BATCH}`,
  )

async function* sealsUpTo(
  run: Statements,
  chain: Chain,
  account: string,
  end: number,
): AsyncGenerator<Seal[]> {
  // the smallest number: an attacker may have given a link any number
  let last = -2_147_483_648
  const statement = selectSeals(chain)
  for (;;) {
    const seals = await statement.run<Seal>({ run }, { account, after: last, upTo: end })
    yield seals
    if (seals.length < BATCH) return
    last = seals.at(-1)?.number ?? end
  }
}

const selectSeal = ({ seals }: Chain) =>
  `select * from ${seals} where merchant_account_id = $1 and number = $2`

async function verifyHead(
  run: Statements,
  chain: Chain,
  { account, number, hash }: ChainHead,
): Promise<ChainFinding[]> {
  const [seal] = await run<Seal>(selectSeal(chain), [account, number])
  if (seal?.hash.toString('hex') === hash) return []
  return [
    {
      account,
      link: number,
      problem: seal ? 'is another one than the one that is known' : 'is known, and is missing',
    },
  ]
}
