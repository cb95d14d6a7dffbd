import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { hasEmbedToken } from '../../api/auth/caller.ts'
import { invalidHeader } from '../../api/errors.ts'
import { clientAddress } from '../../api/request/client-address.ts'

const withPort = /^(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d{1,5})?$/

/**
 * The buyer's IP address: that which a merchant's server names first in `x-forwarded-for`, else the client's own (SEMANTICS §2). A buyer's browser is the client itself, and could
 * name any other: fraud checks would go by it. Throws 400 where a server names what is no address.
 */
export function buyerAddress(request: Pick<FastifyRequest, 'caller' | 'headers' | 'ip' | 'socket'>): string {
  const forwarded = hasEmbedToken(request.caller) ? undefined : [request.headers['x-forwarded-for']].flat()[0]
  const first = forwarded?.split(',', 1)[0]?.trim() ?? ''
  // a proxy that does not know, either
  if (first === '' || first.toLowerCase() === 'unknown') return clientAddress(request)
  const [, bracketed, plain] = withPort.exec(first) ?? []
  const address = bracketed ?? plain ?? first
  if (!isIP(address) || address.includes('%')) throw invalidHeader('x-forwarded-for', 'must begin with the IP address of the buyer')
  return address
}
