import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { UnusableDatabase } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readSettings } from '../../src/settings.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'

test.each(['WIN1252', 'EUC_JP', 'SQL_ASCII'])(
  'a database with the encoding %s, which cannot keep every text, is refused',
  async (encoding) => {
    const postgres = await startOwnPostgres()
    onTestFinished(postgres.close)
    const admin = new pg.Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query(
      `create database shop encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
    )
    await admin.end()
    const url = new URL(postgres.url)
    url.pathname = '/shop'
    const opening = openDatabase(readSettings({ DATABASE_URL: url.href }))
    await expect(opening).rejects.toThrow(UnusableDatabase)
    await expect(opening).rejects.toThrow(`encoding ${encoding}, and texts of payments need UTF8`)
  },
)
