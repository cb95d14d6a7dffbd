import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The address of who connects, behind as many proxies as `TRUSTED_PROXIES` says; where the last of them hands on what is no address, the proxy's own. */
export const clientAddress = ({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string => (isIP(ip) ? ip : (socket.remoteAddress ?? 'unknown'))
