import type { World } from '../../world.ts'
import type { ReadOptions } from './read-replicas.ts'

/** Loads what the work needs, and keeps no copy: one of a replica could be older than an announced change. */
const noCopies: World['cache'] = { get: (_topic, _key, load) => load() }

/**
 * Runs `work`, which only reads and may run twice, with a world whose database is a replica that has
 * everything that was committed before this call, or the primary (decision 019). For lists, insights and
 * reports: they cost the most, and no write follows from what they read.
 */
export const readFromReplica = <W extends Pick<World, 'db' | 'replicas'>, T>(
  world: W,
  work: (world: W) => Promise<T>,
  options?: ReadOptions,
): Promise<T> =>
  world.replicas.read(
    (reader) => work(reader ? { ...world, db: reader.db, run: reader.run, cache: noCopies } : world),
    options,
  )
