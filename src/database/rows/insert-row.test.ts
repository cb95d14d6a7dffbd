import { expect, test } from 'vitest'
import { startTestRailyard } from '../../../test/support/railyard.ts'
import { insertedColumns } from './insert-row.ts'

const { world } = await startTestRailyard()

test.each(Object.entries(insertedColumns))(
  '%s: every column of the table is inserted',
  async (table, columns) => {
    const rows = await world.run<{ name: string }>(
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
      [table],
    )
    expect([...columns].sort()).toEqual(rows.map(({ name }) => name).sort())
  },
)
