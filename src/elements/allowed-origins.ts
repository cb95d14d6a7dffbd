import { isPolicyOrigin } from '../page/policy-origin.ts'
import type { World } from '../world.ts'

/** Written as browsers write it, and fit for a policy. */
const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && isPolicyOrigin(text)

/** Pages of the developer's own machine. */
const loopback = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

/**
 * What is wrong with an origin that a merchant allows; undefined: nothing. It becomes a part of a policy, so it
 * must be written as browsers write it.
 */
export function originProblem({ settings }: Pick<World, 'settings'>, text: string): string | undefined {
  if (!isOrigin(text))
    return 'is not an origin, such as `https://shop.example`: no path, no slash at the end, lower case'
  const { protocol } = new URL(text)
  if (protocol === 'https:' || (settings.environment === 'sandbox' && loopback.test(text))) return undefined
  return 'is not https; the sandbox takes http on this machine'
}

/**
 * Whether a page of this origin may show the account's card fields. Railyard's own pages always may. Without a
 * list, the sandbox allows pages of this machine.
 */
export function isAllowedOrigin(
  { settings, publicUrl }: Pick<World, 'settings' | 'publicUrl'>,
  allowed: readonly string[],
  origin: string,
): boolean {
  if (!isOrigin(origin)) return false
  if (allowed.includes(origin) || origin === new URL(publicUrl).origin) return true
  return settings.environment === 'sandbox' && allowed.length === 0 && loopback.test(origin)
}
