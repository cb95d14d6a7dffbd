import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrationFiles } from '../../src/database/migrate.ts'
import { root } from '../crash/process.ts'

/** The files of a version, with the packages that are installed here. */
export interface Version {
  folder: string
  /** What git calls it, e.g. `c12063f`. */
  commit: string
  /** Migrations that it does not have and the newer one has. */
  lacks: string[]
  remove(): Promise<void>
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Why there is no older version to be had; the message is for the person at the command line. */
export class NoHistory extends Error {}

/**
 * The last commit without the newest migration. Throws `NoHistory` where this clone does not reach back to
 * it.
 */
async function beforeNewestMigration(): Promise<string> {
  const newest = `src/database/migrations/${(await migrationFiles()).at(-1)}`
  const commits = inHistory('rev-list', '--date-order', 'HEAD')
  const before = commits.find(
    (commit) => !inHistory('ls-tree', '--name-only', commit, 'src/database/migrations/').includes(newest),
  )
  if (before) return before
  throw new NoHistory(
    `git does not know what came before ${newest}: this needs a clone with its history (git fetch --unshallow), or --from`,
  )
}

function inHistory(...args: string[]): string[] {
  try {
    return git(...args).split('\n')
  } catch (error) {
    throw new NoHistory('there is no history of git here: this needs a clone', { cause: error })
  }
}

/** Unpacks the version of this ref; undefined: the last one without the newest migration. */
export async function olderVersion(ref: string | undefined): Promise<Version> {
  const commit = git('rev-parse', '--short', '--verify', `${ref ?? (await beforeNewestMigration())}^{commit}`)
  const folder = await mkdtemp(join(tmpdir(), `railyard-${commit}-`))
  const archive = join(folder, 'archive.tar')
  const files = join(folder, 'railyard')
  await mkdir(files)
  git('archive', '--output', archive, commit)
  execFileSync('tar', ['-x', '-f', archive, '-C', files])
  await symlink(join(root, 'node_modules'), join(files, 'node_modules'))
  const theirs = new Set(git('ls-tree', '--name-only', commit, 'src/database/migrations/').split('\n'))
  const lacks = (await migrationFiles()).filter((file) => !theirs.has(`src/database/migrations/${file}`))
  return { folder: files, commit, lacks, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** What the next version may bring: it leaves this one what it uses (docs/guides/deploy.md). */
const nextMigration = `
alter table transactions add column next_version text;
create table next_version (id uuid primary key, told text not null default 'next');
create index next_version_told on next_version (told);
`

/** The version of HEAD with one migration more than it has: what it will be upgraded to one day. */
export async function nextVersion(): Promise<Version> {
  const next = await olderVersion('HEAD')
  await writeFile(join(next.folder, 'src/database/migrations', NEXT), nextMigration)
  return next
}

export const NEXT = '999-next-version.sql'
