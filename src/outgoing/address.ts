import { type Address, isWithin, type Network, readAddress, readNetwork } from './network.ts'

/** Where requests to URLs that merchants name may go: the settings of these names. */
export interface AllowedDestinations {
  environment: 'sandbox' | 'production'
  /** Private networks that the operator allows. */
  allowedNetworks: readonly Network[]
}

const networks = (...written: string[]): Network[] => written.flatMap((text) => readNetwork(text) ?? [])

/**
 * The addresses of hosts. Of IPv6 only global unicast: not loopback, mapped, NAT64, unique local, link-local
 * or multicast.
 */
const unicast = networks('0.0.0.0/0', '2000::/3')

/**
 * Of those, the addresses that are not hosts of the internet (IANA IPv4 and IPv6 Special-Purpose Address
 * Registries).
 */
const special = networks(
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by the customers of a carrier; clouds have services there
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local; clouds hand out a machine's credentials there
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
  '168.63.129.16/32', // in no registry: Azure's platform, as its machines see it
)

/** A developer's machine and its neighbours. */
const local = networks('127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7')

/** Whether a text is an address of a developer's machine or its neighbours. */
export function isLocalAddress(text: string): boolean {
  const address = readAddress(text)
  return address !== undefined && isIn(address, local)
}

/** Unique local addresses at which AWS and Google Cloud give out a machine's credentials. */
const metadata = networks('fd00:ec2::/32', 'fd20:ce::/32')

const isIn = (address: Address, list: readonly Network[]) =>
  list.some((network) => isWithin(address, network))

const isGlobal = (address: Address) => isIn(address, unicast) && !isIn(address, special)

/** Whether a resolver's text is the address of a host of the internet. */
export function isGlobalUnicast(text: string): boolean {
  const address = readAddress(text)
  return address !== undefined && isGlobal(address)
}

/**
 * Whether a request for a merchant may go to this address: on the internet or in `ALLOWED_NETWORKS`, and in
 * the sandbox also on this machine or in a private network.
 */
export function isAllowedAddress(
  { environment, allowedNetworks }: AllowedDestinations,
  text: string,
): boolean {
  const address = readAddress(text)
  if (!address) return false
  const isLocal = environment === 'sandbox' && isIn(address, local) && !isIn(address, metadata)
  return isLocal || isGlobal(address) || isIn(address, allowedNetworks)
}
