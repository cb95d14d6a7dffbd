import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { merchantAccountHeader } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { CardSchemeDefinitions, schemeNames } from './card-scheme-definition.ts'
import { type IconKind, icon, iconUrl } from './icon.ts'
import { longMethodNames, methodNames, PaymentMethodDefinitions } from './payment-method-definition.ts'

const longNames: Readonly<Record<string, string>> = longMethodNames

/** Sorted by id. */
const sorted = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).sort(([a], [b]) => (a < b ? -1 : 1))

const namesOf: Record<IconKind, ReadonlyMap<string, string>> = {
  'card-schemes': new Map(Object.entries(schemeNames)),
  'payment-methods': new Map(Object.entries(methodNames)),
}

const A_DAY = 'public, max-age=86400'

/** The names and icons of card schemes and payment methods. */
export const vaultDefinitionRoutes: Routes = (app, world) => {
  app.get(
    '/card-scheme-definitions',
    {
      config: { scopes: ['card-scheme-definitions.read'] },
      schema: {
        operationId: 'list_card_scheme_definitions',
        summary: 'List card scheme definitions',
        description: 'The card schemes, with a name and an icon for each.',
        tags: ['Card scheme definitions'],
        headers: merchantAccountHeader,
        response: { 200: CardSchemeDefinitions },
      },
    },
    async () => ({
      items: sorted(schemeNames).map(([id, display_name]) => ({
        type: 'card-scheme-definition' as const,
        id,
        icon_url: iconUrl(world, 'card-schemes', id),
        display_name,
      })),
    }),
  )

  app.get(
    '/payment-method-definitions',
    {
      config: { scopes: ['payment-method-definitions.read'] },
      schema: {
        operationId: 'list_payment_method_definitions',
        summary: 'List payment method definitions',
        description: 'The payment methods, with a name and an icon for each.',
        tags: ['Payment methods'],
        headers: merchantAccountHeader,
        response: { 200: PaymentMethodDefinitions },
      },
    },
    async () => ({
      items: sorted(methodNames).map(([id, display_name]) => ({
        id,
        icon_url: iconUrl(world, 'payment-methods', id),
        display_name,
        long_display_name: longNames[id] ?? null,
        method: id,
      })),
    }),
  )

  for (const kind of ['card-schemes', 'payment-methods'] as const)
    app.get(
      `/assets/${kind}/:file`,
      { config: { scopes: 'public' }, schema: { hide: true, params: Type.Object({ file: Type.String() }) } },
      async ({ params }, reply) => {
        const name = namesOf[kind].get(params.file.replace(/\.svg$/, ''))
        if (name === undefined || !params.file.endsWith('.svg')) throw notFound()
        return reply
          .type('image/svg+xml')
          .header('cache-control', A_DAY)
          .header('content-security-policy', "default-src 'none'")
          .header('x-content-type-options', 'nosniff')
          .send(icon(name))
      },
    )
}
