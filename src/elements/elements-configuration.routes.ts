import { Type } from 'typebox'
import { visibleAccount } from '../accounts/merchant-accounts/visible-account.ts'
import { invalid } from '../api/errors.ts'
import type { Routes } from '../api/routes.ts'
import { originProblem } from './allowed-origins.ts'
import { ElementsConfiguration, ElementsConfigurationUpdate } from './elements-configuration.schema.ts'
import { allowedOriginsOf, setAllowedOrigins } from './elements-configuration.store.ts'

const params = Type.Object({ merchant_account_id: Type.String() })
const tags = ['Merchant accounts']

export const elementsConfigurationRoutes: Routes = (app, world) => {
  const show = async (account: string): Promise<ElementsConfiguration> => ({
    type: 'elements-configuration',
    merchant_account_id: account,
    allowed_origins: await allowedOriginsOf(world, account),
  })

  app.get(
    '/merchant-accounts/:merchant_account_id/elements',
    {
      config: { scopes: ['merchant-accounts.read'] },
      schema: {
        operationId: 'get_elements_configuration',
        summary: 'Get the configuration of card fields',
        description: 'The origins of the pages that may show Railyard’s card fields for this account.',
        tags,
        params,
        response: { 200: ElementsConfiguration },
      },
    },
    async ({ params: { merchant_account_id }, caller }) =>
      show(await visibleAccount(world, caller, merchant_account_id)),
  )

  app.put(
    '/merchant-accounts/:merchant_account_id/elements',
    {
      config: { scopes: ['merchant-accounts.write'] },
      schema: {
        operationId: 'update_elements_configuration',
        summary: 'Update the configuration of card fields',
        description:
          'Replaces the origins of the pages that may show Railyard’s card fields for this account.',
        tags,
        params,
        body: ElementsConfigurationUpdate,
        response: { 200: ElementsConfiguration },
      },
    },
    async ({ params: { merchant_account_id }, body: { allowed_origins }, caller }) => {
      const account = await visibleAccount(world, caller, merchant_account_id)
      const problems = allowed_origins.flatMap((origin, index) => {
        const problem = originProblem(world, origin)
        return problem ? [[`/allowed_origins/${index}`, problem] as const] : []
      })
      if (problems.length > 0) throw invalid(Object.fromEntries(problems))
      await setAllowedOrigins(world, account, [...new Set(allowed_origins)])
      return show(account)
    },
  )
}
