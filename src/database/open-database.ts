import type { Settings } from '../settings.ts'
import { localChanges } from './changes.ts'
import { connectionsOf } from './connections.ts'
import type { Database } from './database.ts'
import { startEarlyAnalyze } from './early-analyze.ts'
import { connect, type Embedded, openEmbedded, type Session } from './embedded/embedded.ts'
import { startVacuum } from './embedded/maintenance.ts'
import { createFunctions } from './function-versions.ts'
import { followPartitions } from './partitions/payment-partitions.ts'
import { openPostgres } from './postgres/open-postgres.ts'
import { shareCommits } from './postgres/shared-commits.ts'
import { queryBuilder, typeParsers } from './query-builder.ts'
import { statements } from './statements.ts'
import { STATEMENT_TIMEOUT_MS } from './timeouts.ts'

interface OpenOptions {
  /**
   * Tests: this session, in memory, instead of the database that the settings name. Closing the database
   * leaves it open.
   */
  session?: Session
  /** For commands that read whole tables: statements have no time limit. */
  withoutTimeout?: boolean
}

/**
 * Opens PostgreSQL or the embedded database. `migrate` brings its schema up to date. Throws
 * `UnusableDatabase` and `FolderInUse`.
 */
export async function openDatabase(
  settings: Settings,
  { session, withoutTimeout = false }: OpenOptions = {},
): Promise<Database> {
  if (session) return embeddedDatabase(withSession(session))
  if (!settings.databaseUrl) return embeddedDatabase(await openEmbedded(settings.dataDir, typeParsers))
  return openPostgres(settings.databaseUrl, settings.databasePool, withoutTimeout ? 0 : STATEMENT_TIMEOUT_MS)
}

function withSession(session: Session): Embedded {
  const pool = connect(session, typeParsers)
  return { pool, close: () => pool.end() }
}

async function embeddedDatabase({ pool, close }: Embedded): Promise<Database> {
  const partitions = followPartitions(pool)
  await partitions.load()
  const maintenance = [startVacuum(pool), startEarlyAnalyze(pool), partitions]
  const shared = shareCommits(pool)
  return {
    db: queryBuilder(pool),
    run: statements(pool, shared, partitions),
    partitions,
    createFunctions: () => createFunctions(pool, partitions),
    changes: localChanges(),
    connections: connectionsOf(pool, shared),
    isUnavailable: () => false,
    time: { now: () => Date.now(), skew: () => 0 },
    close: async () => {
      await Promise.all(maintenance.map(({ stop }) => stop()))
      await close()
    },
  }
}
