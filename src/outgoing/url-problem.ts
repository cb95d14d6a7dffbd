import type { Settings } from '../settings.ts'

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** What is wrong with a URL that a merchant names; undefined: nothing (SEMANTICS §15.1). The message does not repeat it: it may hold a secret. */
export function urlProblem({ environment }: Pick<Settings, 'environment'>, text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not an absolute URL'
  const { protocol, hostname, username, password } = new URL(text)
  const mayBePlain = environment === 'sandbox' && isLoopback(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && mayBePlain))
    return environment === 'sandbox' ? 'must be an https URL, or http on a loopback host' : 'must be an https URL'
  if (username !== '' || password !== '') return 'must not hold a user name or a password'
  if (text.includes('#')) return 'must not have a fragment'
  return undefined
}
