import { connect, isIP, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { NameLookup } from './name-lookup.ts'

const CONNECT_TIMEOUT_MS = 3_000

/** Nobody was to be asked there. */
export class ForbiddenAddress extends Error {}

/** Which addresses connections may go to, and how names become addresses. */
export interface ConnectionRules {
  allows: (address: string) => boolean
  lookup: NameLookup
  /** Whom certificates may be from, PEM; undefined: the usual authorities. */
  ca?: string | undefined
}

/**
 * How undici connects where a merchant names the host. The name is resolved once, every address that it has must be allowed, and the connection goes to one
 * of these: a second answer of the resolver cannot lead elsewhere. What the socket is connected to is checked again before a byte is sent.
 */
export function guardedConnector({ allows, lookup, ca }: ConnectionRules): buildConnector.connector {
  const secure = buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT_MS, ...(ca !== undefined && { ca }) })
  return (options, callback) => {
    allowedAddresses(options.hostname)
      .then((addresses) => connected(addresses, Number(options.port) || (options.protocol === 'https:' ? 443 : 80)))
      .then(
        (socket) => (options.protocol === 'https:' ? secure({ ...options, httpSocket: socket }, callback) : callback(null, socket)),
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
    const known = addresses.map((address) => ({ address, family: isIP(address) }))
    const { promise, resolve, reject } = Promise.withResolvers<Socket>()
    const socket = connect({
      // a name, so that Node asks for its addresses
      host: 'checked.invalid',
      port,
      autoSelectFamily: true,
      lookup: (_name, _options, done) => done(null, known),
      keepAlive: true,
      noDelay: true,
    })
    // whatever happens to it later is told to those that use it; without a listener it would end the process
    socket.on('error', reject)
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })))
    socket.once('connect', () => {
      socket.setTimeout(0).removeAllListeners('timeout')
      if (allows(socket.remoteAddress ?? '')) return resolve(socket)
      socket.destroy(new ForbiddenAddress())
    })
    return promise
  }
}
