import { type AdvisoryLock, takeLock } from '../../database/postgres/advisory-lock.ts'
import type { World } from '../../world.ts'

/**
 * Lets one replay of an account run at a time, in all processes: a replay reads as fast as the database can
 * deliver.
 */
export function replayLocks({ settings }: World): {
  take(account: string): Promise<AdvisoryLock | undefined>
} {
  const running = new Set<string>()
  return {
    /** Undefined: a replay is running. `release` may be called twice. */
    async take(account) {
      if (running.has(account)) return undefined
      running.add(account)
      const leave = () => void running.delete(account)
      // the embedded database has one process only. If the lock is lost a second replay may start, which is
      // harmless
      const shared = settings.databaseUrl
        ? takeLock(settings.databaseUrl, `replay ${account}`, () => undefined)
        : noLock()
      const lock = await shared.catch((error) => {
        leave()
        throw error
      })
      if (!lock) leave()
      return lock && { release: releaseOnce(() => lock.release().finally(leave)) }
    },
  }
}

const noLock = async (): Promise<AdvisoryLock> => ({ release: async () => undefined })

function releaseOnce(release: () => Promise<void>): () => Promise<void> {
  let released: Promise<void> | undefined
  return () => {
    released ??= release()
    return released
  }
}
