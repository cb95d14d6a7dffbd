import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** All addresses of a host name; throws where there are none. */
export type NameLookup = (hostname: string) => Promise<readonly string[]>

const TIMEOUT_MS = 1_000
const TRIES = 2

/** For tests: other DNS servers (`127.0.0.1:5353`), and another hosts file. */
interface LookupOverrides {
  servers?: string[]
  hostsFile?: string
}

/**
 * Looks into the hosts file, then into DNS. Not by `dns.lookup`: that waits in one of two threads of the process, so that names whose servers never answer
 * would keep payments from reaching payment services.
 */
export const nameLookup =
  ({ servers, hostsFile = '/etc/hosts' }: LookupOverrides = {}): NameLookup =>
  async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    // never a question for DNS (RFC 6761 §6.3)
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

/** What the machine's operator says of a name, e.g. with Docker's `extra_hosts`. */
const hostsFileAddresses = (hosts: string, name: string): string[] =>
  hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) && names.some((listed) => listed.toLowerCase() === name) ? [address] : []
  })
