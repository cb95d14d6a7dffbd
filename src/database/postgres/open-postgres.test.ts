import { expect, test } from 'vitest'
import { readSettings } from '../../settings.ts'
import { UnusableDatabase } from '../database.ts'
import { openDatabase } from '../open-database.ts'

test.each(['pg1', 'pg1,pg2'])(
  'a file of the URL that is missing is named in one line (%s)',
  async (hosts) => {
    const url = `postgres://railyard@${hosts}/railyard?sslmode=verify-full&sslrootcert=/nowhere/ca.crt`
    const opening = openDatabase(readSettings({ DATABASE_URL: url }))
    await expect(opening).rejects.toThrow(UnusableDatabase)
    await expect(opening).rejects.toThrow(/^DATABASE_URL: .*\/nowhere\/ca\.crt/)
  },
)
