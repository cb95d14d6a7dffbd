import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { hasEmbedToken } from '../../api/auth/caller.ts'
import { invalidHeader } from '../../api/errors.ts'
import { clientAddress } from '../../api/request/client-address.ts'

/** `[IPv6]:port` or `IPv4:port`; the port is optional. */
const withPort = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/

/**
 * The buyer's IP address: the first one in the `x-forwarded-for` of a merchant's server, else the client's
 * own (semantics §2). A browser's header is ignored: the browser is the client itself, and could name any
 * address to fraud checks. Throws 400 if the server sends no valid address.
 */
export function buyerAddress(request: Pick<FastifyRequest, 'caller' | 'headers' | 'ip' | 'socket'>): string {
  const forwarded = hasEmbedToken(request.caller) ? undefined : [request.headers['x-forwarded-for']].flat()[0]
  const first = forwarded?.split(',', 1)[0]?.trim() ?? ''
  // a proxy may write `unknown` (RFC 7239 §6.2)
  if (first === '' || first.toLowerCase() === 'unknown') return clientAddress(request)
  const [, bracketed, plain] = withPort.exec(first) ?? []
  const address = bracketed ?? plain ?? first
  if (!isIP(address) || address.includes('%'))
    throw invalidHeader('x-forwarded-for', 'must begin with the IP address of the buyer')
  return address
}
