import { openInMemory } from '../database/embedded/in-memory.ts'
import { raisePositions } from '../database/logs/event-log.ts'
import { namedStatement } from '../database/named-statement.ts'
import { copySandbox } from '../sandbox/copy-sandbox.ts'
import { startProcessReports } from '../vault/keys/service-processes.ts'
import { listen, type OpenWorld, openWorld, type Railyard, runInstance } from './railyard.ts'

/** An instance in memory that waits to become a copy of another one: it listens, and does nothing by itself. */
export interface Spare {
  /**
   * Makes it a copy of the instance as it is now, with its rows, the books of its simulated providers, and its
   * clocks. `prepare` changes rows of the copy before its background work starts.
   */
  become(original: Railyard, prepare: (copy: OpenWorld) => Promise<void>): Promise<Railyard>
  close(): Promise<void>
}

/**
 * Starts a spare. It has the root secret and the keys of `model`, and so has each instance that it can become a
 * copy of: copies of `model`, and copies of those.
 */
export async function startSpare({ parts: model }: Railyard): Promise<Spare> {
  const { settings, log } = model.world
  const database = await openInMemory(settings)
  const parts = await openWorld(settings, {
    inMemory: true,
    log,
    database: async () => {
      await copyRows(model, { database })
      return database
    },
  })
  try {
    // a test may hold many copies
    const server = await listen(parts, 1)
    // the start has written, too: a copy later is quick if nothing was written here since the last one
    await copyRows(model, parts)
    return {
      async become(original, prepare) {
        try {
          await copyRows(original.parts, parts)
          await raisePositions(parts.world.run)
          // the books after the rows: recovery finds an operation that was sent meanwhile
          copyBooks(original.parts, parts)
          await renameApprovals(original.parts, parts)
          await prepare(parts)
          parts.closers.push(await startProcessReports(parts.world))
          return runInstance(parts, server, false)
        } catch (error) {
          await server.close()
          await parts.close()
          throw error
        }
      },
      async close() {
        await server.close()
        await parts.close()
      },
    }
  } catch (error) {
    await parts.close()
    throw error
  }
}

type WithDatabase = Pick<OpenWorld, 'database'>

async function copyRows({ database: from }: WithDatabase, { database: to }: WithDatabase): Promise<void> {
  if (!from.rows || !to.rows) throw new Error('only an instance in memory can be copied')
  await to.rows.replace(await from.rows.read())
}

/** The providers' books name URLs of the instance, to which they send notifications and buyers. */
function copyBooks(from: OpenWorld, to: OpenWorld): void {
  if (!from.simulator || !to.simulator) return
  copySandbox(from.simulator.sandbox, to.simulator.sandbox, renameUrls(from, to))
}

/** The pages on which buyers approve payments are the simulated providers'. */
const approvals = ['from', 'to'] as const
const renameInTransactions = namedStatement(
  approvals,
  (p) => `
update transactions
   set approval = replace(approval::text, ${p.from}, ${p.to})::jsonb
 where position(${p.from} in approval::text) > 0`,
)
const renameInAnswers = namedStatement(
  approvals,
  (p) => `
update idempotency_keys
   set answer = replace(answer::text, ${p.from}, ${p.to})::json
 where position(${p.from} in answer::text) > 0`,
)

async function renameApprovals({ world: original }: OpenWorld, { world }: OpenWorld): Promise<void> {
  const urls = { from: `${original.publicUrl}/`, to: `${world.publicUrl}/` }
  await renameInTransactions.run(world, urls)
  await renameInAnswers.run(world, urls)
}

/** Replaces the URLs of one instance in a text by those of another one. */
function renameUrls(from: OpenWorld, to: OpenWorld): (text: string) => string {
  const urls = [
    [from.world.publicUrl, to.world.publicUrl],
    [from.simulatorUrl, to.simulatorUrl],
  ] as const
  return (text) =>
    urls.reduce(
      (renamed, [old, other]) =>
        old && other
          ? renamed.replaceAll(new RegExp(`${RegExp.escape(old)}(?!\\d)`, 'g'), () => other)
          : renamed,
      text,
    )
}
