import type { Cipher } from '../cipher.ts'
import type { Statements } from '../database/statements.ts'
import { type AuditSealRow, chainLink, entriesBetween } from './audit-chain.ts'

/** What is wrong with an account's chain, and with which of its links. */
export interface AuditFinding {
  account: string
  link: number
  problem: string
}

export interface AuditVerification {
  sealed: number
  /** Written since the last link, or never sealed. */
  unsealed: number
  findings: AuditFinding[]
}

/** A link that somebody remembers: it must be part of the chain still. */
export interface AuditHead {
  account: string
  number: number
  /** In hex, as it was logged. */
  hash: string
}

// also those that nobody knows: what was moved to them is missing elsewhere
const accounts = `
select id as account from merchant_accounts union select merchant_account_id from audit_seals union select merchant_account_id from audit_entries order by 1`

/** Proves that what is sealed is what was written: every entry, every link, and the links that are known from elsewhere. Reads a batch at a time. */
export async function verifyAuditLogs(
  run: Statements,
  cipher: Pick<Cipher, 'mac' | 'generation'>,
  heads: readonly AuditHead[] = [],
): Promise<AuditVerification> {
  const verification: AuditVerification = { sealed: 0, unsealed: 0, findings: [] }
  for (const { account } of await run<{ account: string }>(accounts, [])) {
    const { sealed, unsealed, findings } = await verifyAccount(run, cipher, account)
    verification.sealed += sealed
    verification.unsealed += unsealed
    verification.findings.push(...findings)
  }
  for (const head of heads) verification.findings.push(...(await verifyHead(run, head)))
  return verification
}

const lastSeal = 'select * from audit_seals where merchant_account_id = $1 order by number desc limit 1'

const unsealedOf = `
select count(*) as unsealed from audit_entries where merchant_account_id = $1 and position >= coalesce($2::bigint, '-9223372036854775808'::bigint)`

async function verifyAccount(run: Statements, cipher: Pick<Cipher, 'mac' | 'generation'>, account: string): Promise<AuditVerification> {
  const findings: AuditFinding[] = []
  // links that are made meanwhile are for the next time: only what this one says is final is read
  const [end] = await run<AuditSealRow>(lastSeal, [account])
  const [{ unsealed } = { unsealed: 0 }] = await run<{ unsealed: number }>(unsealedOf, [account, end?.position ?? null])
  if (!end) return { sealed: 0, unsealed, findings }
  const entries = entriesBetween(run, account, undefined, end.position)
  let next = await entries.next()
  let sealed = 0
  let before: AuditSealRow | undefined
  // a link under an older root secret than the link before is not taken
  let generation = 1
  for await (const seal of sealsUpTo(run, account, end.number)) {
    const links = generationsFrom(generation, cipher.generation()).map((each) => ({
      generation: each,
      ...chainLink(cipher, each, account, seal.number, before?.hash),
    }))
    while (!next.done && next.value.position < seal.position) {
      for (const link of links) link.add(next.value)
      next = await entries.next()
    }
    const link = links.find(({ hash }) => hash(seal.position, seal.created_at).equals(seal.hash)) ?? links[0]
    if (!link) continue
    sealed += link.entries()
    const problem = problemOf(seal, before, link)
    if (problem) findings.push({ account, ...problem })
    else generation = link.generation
    before = seal
  }
  if (generation < cipher.generation())
    findings.push({ account, link: end.number, problem: 'is the last one and was made under an earlier root secret: links after it are missing' })
  return { sealed, unsealed, findings }
}

const generationsFrom = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** One wrong link is found once: the links after it are over the hash that it says it has. */
function problemOf(
  seal: AuditSealRow,
  before: AuditSealRow | undefined,
  link: Pick<ReturnType<typeof chainLink>, 'entries' | 'hash'>,
): Omit<AuditFinding, 'account'> | undefined {
  const expected = (before?.number ?? 0) + 1
  if (seal.number !== expected) return { link: expected, problem: 'is missing' }
  if (link.entries() !== seal.entries) return { link: seal.number, problem: `has ${link.entries()} entries, and ${seal.entries} were sealed` }
  if (link.hash(seal.position, seal.created_at).equals(seal.hash)) return undefined
  return { link: seal.number, problem: 'is not what was sealed: an entry of it, or the seal itself, was changed' }
}

const BATCH = 1_000
const someSeals = `
select * from audit_seals where merchant_account_id = $1 and number > $2 and number <= $3 order by number limit ${BATCH}`

async function* sealsUpTo(run: Statements, account: string, end: number): AsyncGenerator<AuditSealRow> {
  // the smallest there is: a link may have been given any number
  let last = -2_147_483_648
  for (;;) {
    const seals = await run<AuditSealRow>(someSeals, [account, last, end])
    yield* seals
    if (seals.length < BATCH) return
    last = seals.at(-1)?.number ?? end
  }
}

const sealOf = 'select * from audit_seals where merchant_account_id = $1 and number = $2'

async function verifyHead(run: Statements, { account, number, hash }: AuditHead): Promise<AuditFinding[]> {
  const [seal] = await run<AuditSealRow>(sealOf, [account, number])
  if (seal?.hash.toString('hex') === hash) return []
  return [{ account, link: number, problem: seal ? 'is another one than the one that is known' : 'is known, and is missing' }]
}
