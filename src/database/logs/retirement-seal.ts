import type { Cipher } from '../../base/cipher.ts'
import type { Statements } from '../statements.ts'
import { timestamp, timestampOrNull } from '../timestamp.ts'

/** A retirement as it is sealed: what it removed, when, and for whom. */
interface SealedRetirement {
  number: number
  below: string
  actor: string
  started_at: string
  retired_at: string
  /** JSON, as it is stored. */
  counts: string
}

const selectLinkDigests = `
select merchant_account_id as account,
       count(*) as links,
       encode(sha256(convert_to(string_agg(row(number, entries, encode(hash, 'hex'))::text, '' order by number), 'UTF8')), 'hex') as digest
  from retired_links
 where retirement = $1
 group by merchant_account_id
 order by merchant_account_id collate "C"`

const selectFiles = `
select kind, name, rows, bytes, encode(sha256, 'hex') as sha256, earliest, latest
  from archived_files
 where retirement = $1
 order by kind`

interface SealedFile {
  earliest: string | null
  latest: string | null
}

/** The hash of a retirement under a root secret. */
export const retirementHash = async (
  run: Statements,
  { mac }: Pick<Cipher, 'mac'>,
  retirement: SealedRetirement,
  generation: number,
): Promise<Buffer> => mac('retirement-seal', await sealedText(run, retirement), generation)

/** What is sealed of a retirement: its row, all links that it left something of, and its files. */
async function sealedText(
  run: Statements,
  { number, below, actor, started_at, retired_at, counts }: SealedRetirement,
): Promise<string> {
  const links = await run<{ account: string; links: number; digest: string }>(selectLinkDigests, [number])
  const digests = links.map(({ account, links: count, digest }) => [account, count, digest])
  const files = (await run<SealedFile>(selectFiles, [number])).map(({ earliest, latest, ...file }) => ({
    ...file,
    earliest: timestampOrNull(earliest),
    latest: timestampOrNull(latest),
  }))
  const times = [timestamp(started_at), timestamp(retired_at)]
  const sealed = [number, below, actor, ...times, counts, digests]
  // a retirement without files is sealed as those of versions that wrote none
  return JSON.stringify(files.length > 0 ? [...sealed, files] : sealed)
}

const selectRetirements = `
select number, below, actor, started_at, retired_at, counts::text as counts, hash
  from retirements
 where retired_at is not null
 order by number`

type StoredRetirement = SealedRetirement & { hash: Buffer }

const readRetirements = (run: Statements): Promise<StoredRetirement[]> =>
  run<StoredRetirement>(selectRetirements, [])

/** What is wrong with the retirements: each has the hash of its number, its bound and its links. */
export async function verifyRetirements(
  run: Statements,
  cipher: Pick<Cipher, 'mac' | 'generation'>,
): Promise<string[]> {
  const retirements = await readRetirements(run)
  const problems = await Promise.all(
    retirements.map(async ({ hash, ...retirement }, index) => {
      const { number, below } = retirement
      if (number !== index + 1) return `retirement ${index + 1} is missing`
      if (below <= (retirements[index - 1]?.below ?? ''))
        return `retirement ${number} is below the one before`
      const computed = await retirementHash(run, cipher, retirement, cipher.generation())
      return computed.equals(hash) ? [] : `retirement ${number} is not what was sealed`
    }),
  )
  return problems.flat()
}

const update = 'update retirements set hash = $2 where number = $1 and hash = $3'

/**
 * Seals the retirements under the root secret that is now in use. Those that an interrupted replacement has left are
 * under an earlier one than the one before. A retirement that was sealed under none whose signatures are accepted
 * stays as it is, and is found.
 */
export async function sealRetirementsUnderNewSecret({
  run,
  cipher,
}: {
  run: Statements
  cipher: Pick<Cipher, 'macs'>
}): Promise<void> {
  for (const { hash, ...retirement } of await readRetirements(run)) {
    const [current, ...earlier] = cipher.macs('retirement-seal', await sealedText(run, retirement))
    if (earlier.some((mac) => mac.equals(hash))) await run(update, [retirement.number, current, hash])
  }
}
