import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ownDatabase } from '../../test/railyard.ts'
import { readSettings } from '../settings.ts'
import { openDatabase } from './database.ts'
import { sharingItsCommit } from './statements.ts'

export const put = sharingItsCommit(`insert into kept (id, amount) values ($1, $2) returning id, amount, xmin::text as commit`)
export const add = sharingItsCommit(`update kept set amount = amount + $2 where id = $1 returning id, amount, xmin::text as commit`)

export type Kept = { id: number; amount: number; commit: string }

/** A table whose amounts are never negative. */
export async function openKept() {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-shared-'))
  const own = await ownDatabase()
  const database = await openDatabase(readSettings({ DATA_DIR: folder, ...(own && { DATABASE_URL: own.url }) }), { inMemory: true })
  onTestFinished(async () => {
    await database.close()
    await own?.drop()
    rmSync(folder, { recursive: true })
  })
  await database.run(
    'create table kept (id int constraint kept_once primary key, amount int not null constraint kept_positive check (amount >= 0))',
    [],
  )
  const kept = async () => new Map((await database.run<Kept>('select id, amount from kept', [])).map(({ id, amount }) => [id, amount]))
  return { ...database, kept }
}
