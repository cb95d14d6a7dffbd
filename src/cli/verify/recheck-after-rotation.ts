import { setTimeout as wait } from 'node:timers/promises'
import type { Recheck } from '../../database/logs/verify-chain.ts'
import { isLockTaken } from '../../database/postgres/advisory-lock.ts'
import type { Statements } from '../../database/statements.ts'
import type { LoadedRootSecrets } from '../../vault/keys/root-secret.ts'
import { ROTATION_LOCK } from '../keys/rotation-work.ts'

/** How long one `railyard verify` waits for rotations in all. */
const PATIENCE_MS = 600_000
const POLL_MS = 500

/**
 * While `keys replace-root-secret` runs, some links and retirements are under the new root secret already, and others
 * are not yet. Findings count if no rotation ran when the check began, and the root secret in use is still the same;
 * otherwise the check runs again after the rotation. After `patienceMs` of waiting they count in any case, so that a
 * rotation that never ends hides nothing. A command that was killed has lost its lock, and is not waited for.
 */
export function makeRecheck(
  run: Statements,
  rootSecrets: LoadedRootSecrets,
  patienceMs = PATIENCE_MS,
): Recheck {
  let patience = patienceMs
  const isRotating = () => isLockTaken(run, ROTATION_LOCK)
  return async (check, hasFindings) => {
    for (;;) {
      const { current } = rootSecrets
      // after the root secret was read: one that is put to use later is another one than `current`
      const wasRotating = await isRotating()
      const result = await check()
      if (!hasFindings(result)) return result
      await rootSecrets.refresh()
      if (!wasRotating && rootSecrets.current === current) return result
      if (!(await waitForEnd())) return result
    }
  }

  /** Waits until no rotation runs. False: the patience is used up. */
  async function waitForEnd(): Promise<boolean> {
    if (patience === patienceMs) console.error('A key is being replaced: waiting until that has ended')
    while (patience > 0) {
      await wait(POLL_MS)
      patience -= POLL_MS
      if (!(await isRotating())) return true
      if (patience <= 0)
        console.error(
          'A key is still being replaced: what follows may come from that. Verify again once it has ended',
        )
    }
    return false
  }
}
