import { isIP, isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The client's address, behind as many proxies as `TRUSTED_PROXIES` says; the last proxy's own if what it
 * hands on is not an address.
 */
export const clientAddress = ({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string =>
  isIP(ip) ? ip : (socket.remoteAddress ?? 'unknown')

/**
 * The network that rates are counted for: an IPv4 address whole, the first 64 bits of an IPv6 address (a
 * client chooses the others), else `unknown`.
 */
export function networkOf(address: string): string {
  const mapped = address.replace(/^::ffff:/i, '')
  if (isIPv4(mapped)) return mapped
  // a trusted proxy handed on a forwarded header that is not an address
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
