import { Type } from 'typebox'
import { badRequest, invalid, notFound, orNotFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import type { Routes } from '../../api/routes.ts'
import { Uuid } from '../../api/schema.ts'
import { credentialsApproval } from '../../configured-services/service-approval.ts'
import { requireDomainAssociation } from './apple-domain.ts'
import {
  DigitalWallet,
  DigitalWalletCreate,
  DigitalWalletDomain,
  DigitalWallets,
  DigitalWalletUpdate,
} from './digital-wallet.schema.ts'
import {
  addDomain,
  deleteDigitalWallet,
  findDigitalWallet,
  insertDigitalWallet,
  listDigitalWallets,
  removeDomain,
  updateDigitalWallet,
} from './digital-wallet.store.ts'
import { isDomain } from './digital-wallet.ts'

const tags = ['Digital wallets - Setup']
const params = Type.Object({ digital_wallet_id: Uuid })
const read = { scopes: ['digital-wallets.read'] }
const write = { scopes: ['digital-wallets.write'] }
const approval = credentialsApproval({
  type: 'digital-wallet',
  table: 'digital_wallets',
  parameter: 'digital_wallet_id',
  members: [],
})

export const digitalWalletRoutes: Routes = (app, world) => {
  app.get(
    '/digital-wallets',
    {
      config: read,
      schema: {
        operationId: 'list_digital_wallets',
        summary: 'List digital wallets',
        description: 'The wallets of the account: at most one of each provider, the newest first.',
        tags,
        headers,
        response: { 200: DigitalWallets },
      },
    },
    async ({ account }) => ({ items: await listDigitalWallets(world, account) }),
  )

  app.post(
    '/digital-wallets',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'configure_digital_wallet',
        summary: 'Register a digital wallet',
        description:
          'Lets buyers pay with this wallet. An account has one wallet of each provider; a second is a 409. In production domains of Apple Pay must serve Apple’s association file already.',
        tags,
        headers,
        body: DigitalWalletCreate,
        response: { 201: DigitalWallet },
      },
    },
    async ({ body, account }, reply) => reply.code(201).send(await insertDigitalWallet(world, account, body)),
  )

  app.get(
    '/digital-wallets/:digital_wallet_id',
    {
      config: read,
      schema: {
        operationId: 'get_digital_wallet',
        summary: 'Get a digital wallet',
        description: 'One wallet by its id.',
        tags,
        headers,
        params,
        response: { 200: DigitalWallet },
      },
    },
    async ({ params, account }) =>
      orNotFound(await findDigitalWallet(world, account, params.digital_wallet_id)),
  )

  app.put(
    '/digital-wallets/:digital_wallet_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'update_digital_wallet',
        summary: 'Update a digital wallet',
        description:
          'Changes the members that are named and leaves the others. Its provider stays. In production new domains of Apple Pay must serve Apple’s association file already.',
        tags,
        headers,
        params,
        body: DigitalWalletUpdate,
        response: { 200: DigitalWallet },
      },
    },
    async ({ params, body, account }) =>
      orNotFound(await updateDigitalWallet(world, account, params.digital_wallet_id, body)),
  )

  app.delete(
    '/digital-wallets/:digital_wallet_id',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'delete_digital_wallet',
        summary: 'Delete a digital wallet',
        description:
          'Buyers can no longer pay with it. An Apple wallet whose certificates are active is not deleted.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account }, reply) => {
      if (!(await deleteDigitalWallet(world, account, params.digital_wallet_id))) throw notFound()
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/digital-wallets/:digital_wallet_id/domains',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'register_digital_wallet_domain',
        summary: 'Register a domain',
        description:
          'Lets the pages of a domain ask for Apple Pay. In production the domain must serve Apple’s association file, which stands in `extra_configuration.apple_domain_association`. A domain that is registered already stays so.',
        tags,
        headers,
        params,
        body: DigitalWalletDomain,
        response: { 200: DigitalWallet },
      },
    },
    async ({ params, body, account }) => {
      const id = params.digital_wallet_id
      const wallet = await findDigitalWallet(world, account, id)
      if (!wallet) throw notFound()
      if (wallet.provider !== 'apple') throw badRequest('Only Apple asks for domains')
      if (!isDomain(body.domain_name))
        throw invalid({ '/domain_name': 'must be a domain name such as shop.example.com' })
      await requireDomainAssociation(world, wallet, body.domain_name)
      await addDomain(world, account, id, body.domain_name)
      return (await findDigitalWallet(world, account, id)) ?? wallet
    },
  )

  app.delete(
    '/digital-wallets/:digital_wallet_id/domains',
    {
      config: { ...write, approval },
      schema: {
        operationId: 'unregister_digital_wallet_domain',
        summary: 'Remove a domain',
        description:
          'Its pages can no longer ask for Apple Pay. A domain that was not registered is no error.',
        tags,
        headers,
        params,
        body: DigitalWalletDomain,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, body, account }, reply) => {
      if (!(await findDigitalWallet(world, account, params.digital_wallet_id))) throw notFound()
      await removeDomain(world, account, params.digital_wallet_id, body.domain_name)
      return reply.code(204).send(null)
    },
  )
}
