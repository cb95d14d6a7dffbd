import { limitRate, type Rate } from '../../api/auth/rate-limit.ts'
import { ApiError } from '../../api/errors.ts'
import { networkOf } from '../../api/request/client-address.ts'
import type { World } from '../../world.ts'

/**
 * Attempts a minute from one network: enough for an office behind one address, and an attacker can lock the
 * accounts of four people a minute at most.
 */
const rate: Rate = { limit: 20, message: 'Too many attempts from this address' }

/**
 * 429 if too many attempts come from the network of this address. Attempts count whether or not the person
 * exists.
 */
export const limitSignInAttempts = async (world: World, address: string): Promise<void> =>
  void (await limitRate(world.run, world.machineClock, `sign-in:${networkOf(address)}`, rate))

/** The same for challenges of passkeys, under a count of their own: a sign-in by passkey needs both. */
export const limitPasskeyOptions = async (world: World, address: string): Promise<void> =>
  void (await limitRate(world.run, world.machineClock, `passkey-options:${networkOf(address)}`, rate))

/** Counts a refused sign-in, and throws its error. A process that is too busy to check (503) has refused nobody. */
export const countRefusedSignIn =
  ({ metrics }: Pick<World, 'metrics'>) =>
  (error: unknown): never => {
    if (error instanceof ApiError && error.status < 500) metrics.signInFailed(error.code)
    throw error
  }
