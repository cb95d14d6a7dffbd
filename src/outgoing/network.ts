import { isIP } from 'node:net'

/** An address, or the lowest address of a network, as a number of 32 bits (IPv4) or 128 bits (IPv6). */
export interface Address {
  family: 4 | 6
  value: bigint
}

export interface Network extends Address {
  /** The number of leading bits that all its addresses share. */
  prefix: number
}

const bitsOf = { 4: 32, 6: 128 } as const

/**
 * Undefined: the text is no address. An address with a zone (`fe80::1%eth0`) is none, because it has a
 * meaning on one machine only.
 */
export function readAddress(text: string): Address | undefined {
  const family = text.includes('%') ? 0 : isIP(text)
  if (family === 4)
    return { family, value: text.split('.').reduce((value, octet) => (value << 8n) | BigInt(octet), 0n) }
  if (family === 6)
    return {
      family,
      value: groupsOf(text).reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n),
    }
  return undefined
}

/** The eight groups of an IPv6 address. The URL parser writes a dotted end in hexadecimal. */
function groupsOf(address: string): string[] {
  const [head = [], tail] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  return tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head
}

/**
 * Reads `10.20.0.0/16`. Undefined: the text is no network in CIDR notation, or its address has bits beyond
 * the prefix. That is a mistyped prefix: `10.20.30.0/2` would allow a quarter of all addresses.
 */
export function readNetwork(text: string): Network | undefined {
  const [, written = '', prefixWritten = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  const address = readAddress(written)
  const prefix = Number(prefixWritten)
  if (!address || prefix > bitsOf[address.family]) return undefined
  const network = { ...address, prefix }
  return firstBits(network, address) << hostBits(network) === address.value ? network : undefined
}

export const isWithin = (address: Address, network: Network): boolean =>
  address.family === network.family && firstBits(network, address) === firstBits(network, network)

const hostBits = ({ family, prefix }: Network) => BigInt(bitsOf[family] - prefix)
const firstBits = (network: Network, { value }: Address) => value >> hostBits(network)
