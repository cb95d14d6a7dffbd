import { expect, onTestFinished, test } from 'vitest'
import { startTestRailyard } from '../../../test/support/railyard.ts'
import { warnings } from './warnings.ts'

test('a start warns of a database server that runs with fsync=off', async () => {
  const railyard = await startTestRailyard()
  onTestFinished(railyard.close)
  const { world } = railyard
  const run: typeof world.run = async (text, values) => {
    // the answer of a server that runs with fsync=off
    const server = text.replace("name in ('fsync', 'full_page_writes') and setting = 'off'", "name = 'fsync'")
    return world.run(server, values)
  }
  const settings = { ...world.settings, databaseUrl: 'postgres://somewhere/railyard' }
  const found = await warnings({ ...railyard, world: { ...world, run, settings } })
  expect(found.filter((warning) => warning.includes('fsync=off'))).toHaveLength(1)
})
