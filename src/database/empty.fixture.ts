import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { onTestFinished } from 'vitest'
import { ownDatabase } from '../../test/support/railyard.ts'
import { readSettings } from '../settings.ts'
import type { Database } from './database.ts'
import { connect, openSession } from './embedded/embedded.ts'
import { openDatabase } from './open-database.ts'

/** A database without a schema for the current test: in memory, or on the PostgreSQL of `DATABASE_URL`. */
export async function openEmpty({ withoutTimeout = false } = {}): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'railyard-empty-'))
  const own = await ownDatabase()
  const session = own ? undefined : await openSession({})
  const settings = readSettings({ DATA_DIR: folder, ...(own && { DATABASE_URL: own.url }) })
  const database = await openDatabase(settings, { withoutTimeout, ...(session && { session }) })
  onTestFinished(async () => {
    await database.close()
    await session?.close()
    await own?.drop()
    rmSync(folder, { recursive: true })
  })
  return database
}

/** A pool of the embedded database, in memory and without a schema, for the current test. */
export async function openPool(): Promise<pg.Pool> {
  const session = await openSession({})
  const pool = connect(session)
  onTestFinished(async () => {
    await pool.end()
    await session.close()
  })
  return pool
}
