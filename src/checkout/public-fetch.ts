import { lookup } from 'node:dns'
import { BlockList, type LookupFunction } from 'node:net'
import { Agent, request } from 'undici'

/** Addresses that are not on the internet (IANA special-purpose registries): whoever names a host must not make us ask our own network. */
const notPublic = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  notPublic.addSubnet(network, bits)
/** Only global unicast is public; of that, the ranges that stand for IPv4 addresses or lead to documentation are not. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  notPublic.addSubnet(network, bits, 'ipv6')

/** Whether an address, as a resolver gives it, is one of the internet. */
export const isPublicAddress = (address: string, family: number): boolean =>
  family === 6 ? globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6') : !notPublic.check(address, 'ipv4')

/** Resolves once, and the connection goes to what was checked: a second answer of the resolver cannot lead elsewhere. */
const publicLookup: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const first = found?.[0]
    if (error || !first) return done(error ?? new Error('the host has no address'), '', 4)
    if (!found.every(({ address, family }) => isPublicAddress(address, family))) return done(new Error('the host is not on the internet'), '', 4)
    return options.all ? done(null, found) : done(null, first.address, first.family)
  })
}

const TIMEOUT_MS = 5_000
const LARGEST = 64 * 1024

/** The text of a page of the internet; undefined: it could not be had. `url` is https and names a host, no address. No redirect is followed. */
export async function fetchPublicText(url: string): Promise<string | undefined> {
  const agent = new Agent({ connect: { lookup: publicLookup, timeout: TIMEOUT_MS }, maxResponseSize: LARGEST })
  try {
    const { statusCode, body } = await request(url, { dispatcher: agent, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await body.text()
    return statusCode === 200 ? text : undefined
  } catch {
    return undefined
  } finally {
    void agent.destroy()
  }
}
