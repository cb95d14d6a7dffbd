import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Returns all addresses of a host name; throws if it has none. */
export type NameLookup = (hostname: string) => Promise<readonly string[]>

const TIMEOUT_MS = 1_000
const TRIES = 2

/** For tests: other DNS servers (`127.0.0.1:5353`), and another hosts file. */
interface LookupOverrides {
  servers?: string[]
  hostsFile?: string
}

/**
 * Looks a name up in the hosts file, then in DNS. It does not use `dns.lookup`, which waits in one of two
 * threads of the process: names whose servers never answer would block the connections to payment services.
 */
export const nameLookup =
  ({ servers, hostsFile = '/etc/hosts' }: LookupOverrides = {}): NameLookup =>
  async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    // must not be sent to DNS (RFC 6761 §6.3)
    if (/(^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1']
    const listed = hostsFileAddresses(await readFile(hostsFile, 'utf8').catch(() => ''), name)
    if (listed.length > 0) return listed
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (servers) resolver.setServers(servers)
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason
    return found
  }

/** The addresses in the machine's hosts file, e.g. from Docker's `extra_hosts`. */
const hostsFileAddresses = (hosts: string, name: string): string[] =>
  hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) && names.some((listed) => listed.toLowerCase() === name) ? [address] : []
  })
