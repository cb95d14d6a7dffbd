import { connect, isIP, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { NameLookup } from './name-lookup.ts'

const CONNECT_TIMEOUT_MS = 3_000

/** A host has an address to which no connection may go. */
export class ForbiddenAddress extends Error {}

/** The addresses to which connections may go, and how names are resolved. */
export interface ConnectionRules {
  allows: (address: string) => boolean
  lookup: NameLookup
  /** The authority of certificates, PEM; undefined: the usual ones. */
  ca?: string | undefined
}

/**
 * Connects undici to a host that a merchant names. The name is resolved once, all its addresses must be
 * allowed, and the connection goes to one of them: a second answer of the resolver cannot lead to another
 * address (DNS rebinding). The address of the connected socket is checked again before a byte is sent.
 */
export function guardedConnector({ allows, lookup, ca }: ConnectionRules): buildConnector.connector {
  const secure = buildConnector({
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    ...(ca !== undefined && { ca }),
  })
  return (options, callback) => {
    allowedAddresses(options.hostname)
      .then((addresses) =>
        connected(addresses, Number(options.port) || (options.protocol === 'https:' ? 443 : 80)),
      )
      .then(
        (socket) =>
          options.protocol === 'https:'
            ? secure({ ...options, httpSocket: socket }, callback)
            : callback(null, socket),
        (error) => callback(error, null),
      )
  }

  async function allowedAddresses(host: string): Promise<readonly string[]> {
    const addresses = isIP(host) ? [host] : await lookup(host)
    if (addresses.length === 0 || !addresses.every(allows)) throw new ForbiddenAddress()
    return addresses
  }

  /** Tries the addresses one after the other, as clients do. */
  function connected(addresses: readonly string[], port: number): Promise<Socket> {
    const resolved = addresses.map((address) => ({ address, family: isIP(address) }))
    const { promise, resolve, reject } = Promise.withResolvers<Socket>()
    const socket = connect({
      // a name, so that Node asks for its addresses
      host: 'checked.invalid',
      port,
      autoSelectFamily: true,
      lookup: (_name, _options, done) => done(null, resolved),
      keepAlive: true,
      noDelay: true,
    })
    // undici reports later errors to its requests; without a listener they would end the process
    socket.on('error', reject)
    socket.setTimeout(CONNECT_TIMEOUT_MS, () =>
      socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
    )
    socket.once('connect', () => {
      socket.setTimeout(0).removeAllListeners('timeout')
      if (allows(socket.remoteAddress ?? '')) return resolve(socket)
      socket.destroy(new ForbiddenAddress())
    })
    return promise
  }
}
