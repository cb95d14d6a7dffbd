import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** All addresses of a host name; throws where there are none. */
export type NameLookup = (hostname: string) => Promise<readonly string[]>

const TIMEOUT_MS = 1_500
const TRIES = 2

/**
 * The hosts file, then DNS. Not `dns.lookup`: that waits in one of two threads of the process, so that names whose servers never answer would keep payments
 * from reaching payment services.
 */
export const lookupName: NameLookup = async (hostname) => {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  // never a question for DNS (RFC 6761 §6.3)
  if (/(^|\.)localhost$/.test(name)) return ['127.0.0.1', '::1']
  const listed = await hostsFile(name)
  if (listed.length > 0) return listed
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason
  return found
}

/** What the machine's operator says of a name, e.g. with Docker's `extra_hosts`. */
async function hostsFile(name: string): Promise<string[]> {
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) && names.some((listed) => listed.toLowerCase() === name) ? [address] : []
  })
}
