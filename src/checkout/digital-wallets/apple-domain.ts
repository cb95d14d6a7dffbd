import { sql } from 'kysely'
import { Type } from 'typebox'
import { invalid, notFound } from '../../api/errors.ts'
import type { Routes } from '../../api/routes.ts'
import type { World } from '../../world.ts'
import type { DigitalWallet } from './digital-wallet.schema.ts'
import { normalizeDomain } from './digital-wallet.ts'
import { fetchPublicText } from './public-fetch.ts'

const PATH = '/.well-known/apple-developer-merchantid-domain-association'

type Configuration = DigitalWallet['extra_configuration']
type AppleWallet = { extra_configuration?: Configuration }

const domainAssociation = (configuration: Configuration | undefined): string | undefined => {
  const text = configuration?.['apple_domain_association']
  return typeof text === 'string' && text !== '' ? text : undefined
}

/**
 * Throws 400 unless the domain serves the file that Apple will look for. The sandbox has no Apple and accepts
 * every domain.
 */
export async function requireDomainAssociation(
  { settings }: Pick<World, 'settings'>,
  { extra_configuration }: AppleWallet,
  domain: string,
  pointer = '/domain_name',
): Promise<void> {
  if (settings.environment === 'sandbox') return
  const expected = domainAssociation(extra_configuration)
  if (!expected)
    throw invalid({
      [pointer]:
        'needs extra_configuration.apple_domain_association, the file that Apple gave for this merchant',
    })
  const served = await fetchPublicText(`https://${normalizeDomain(domain)}${PATH}`)
  if (served?.trim() !== expected.trim())
    throw invalid({ [pointer]: `does not serve the association file at ${PATH}` })
}

/** The same for all domains of a wallet, but for those in `before`, which were registered earlier. */
export async function requireDomainAssociations(
  world: World,
  wallet: AppleWallet,
  domains: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  const checked = new Set(before)
  for (const [index, domain] of domains.map(normalizeDomain).entries()) {
    if (!checked.has(domain)) await requireDomainAssociation(world, wallet, domain, `/domain_names/${index}`)
    checked.add(domain)
  }
}

/**
 * Serves the association file to a shop whose domain leads here, and to other hosts that fetch it from here.
 */
export const appleDomainRoutes: Routes = (app, { db }) => {
  app.get(
    PATH,
    { config: { scopes: 'public' }, schema: { hide: true, response: { 200: Type.String() } } },
    async ({ hostname }, reply) => {
      // by the domain alone: the file is public, so the account is neither known nor needed
      const wallets = await db
        .selectFrom('digital_wallets')
        .select('extra_configuration')
        .where('provider', '=', 'apple')
        .where(sql<boolean>`domain_names @> array[${normalizeDomain(hostname)}]::text[]`)
        .orderBy('created_at')
        .execute()
      const text = wallets
        .map(({ extra_configuration }) => domainAssociation(extra_configuration))
        .find((found) => found !== undefined)
      if (text === undefined) throw notFound()
      return reply.type('text/plain; charset=utf-8').send(text)
    },
  )
}
