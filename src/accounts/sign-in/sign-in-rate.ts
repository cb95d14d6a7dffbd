import { isIPv4, isIPv6 } from 'node:net'
import { limitRate, type Rate } from '../../api/auth/rate-limit.ts'
import type { World } from '../../world.ts'

/** An office behind one address gets by with it; whoever would lock everybody out by wrong guesses gets at four people a minute. */
const rate: Rate = { limit: 20, message: 'Too many attempts from this address' }

/** 429 where too many attempts come from one network. Counted for people who exist and who do not alike. */
export const limitSignInAttempts = async (world: World, address: string): Promise<void> =>
  void (await limitRate(world.run, world.machineClock, `sign-in:${networkOf(address)}`, rate))

/** An IPv4 address; of an IPv6 address the first 64 bits: the others are the client's to choose. */
export function networkOf(address: string): string {
  const mapped = address.replace(/^::ffff:/i, '')
  if (isIPv4(mapped)) return mapped
  // a proxy that hands on what it was told
  if (!isIPv6(address)) return 'unknown'
  const [before = '', after] = (address.split('%')[0] ?? '').split('::')
  const groups = (part: string | undefined) => (part ? part.split(':') : [])
  const [head, tail] = [groups(before), groups(after)]
  const zeros = after === undefined ? [] : Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  return [...head, ...zeros, ...tail]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
