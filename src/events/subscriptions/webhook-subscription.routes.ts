import { Type } from 'typebox'
import type { Actor } from '../../api/auth/caller.ts'
import { invalid, notFound } from '../../api/errors.ts'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { pageQuery, Uuid } from '../../api/schema.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { showWebhookSubscription } from './webhook-subscription.representation.ts'
import {
  WebhookSubscription,
  WebhookSubscriptionCreate,
  WebhookSubscriptionRotateSecret,
  WebhookSubscriptions,
  WebhookSubscriptionUpdate,
} from './webhook-subscription.schema.ts'
import {
  deleteWebhookSubscription,
  findWebhookSubscription,
  insertWebhookSubscription,
  listWebhookSubscriptions,
  rotateSecret,
  updateWebhookSubscription,
  type WebhookSubscriptionRow,
} from './webhook-subscription.store.ts'
import {
  movedSecretsProblems,
  restoreMaskedSecrets,
  subscriptionsVisibleTo,
  webhookSubscriptionProblems,
} from './webhook-subscription.ts'

const tags = ['Webhook subscriptions']
const params = Type.Object({ subscription_id: Uuid })
const read = { scopes: ['webhook-subscriptions.read'] }
const write = { scopes: ['webhook-subscriptions.write'] }

/** One year. */
const MAX_GRACE_MINUTES = 525_600

export const webhookSubscriptionRoutes: Routes = (app, world) => {
  const show = (row: WebhookSubscriptionRow) => showWebhookSubscription(world, row)
  const showFound = (row: WebhookSubscriptionRow | undefined) => {
    if (!row) throw notFound()
    return show(row)
  }
  const refuse = (problems: Record<string, string>) => {
    if (Object.keys(problems).length > 0) throw invalid(problems)
  }

  app.get(
    '/webhook-subscriptions',
    {
      config: read,
      schema: {
        operationId: 'list_webhook_subscription',
        summary: 'List webhook subscriptions',
        description:
          'The webhook subscriptions of the account, the newest first. A caller that is not limited to an account also gets those of the whole instance.',
        tags,
        headers,
        querystring: Type.Object(pageQuery()),
        response: { 200: WebhookSubscriptions },
      },
    },
    async ({ query, account, caller }) => {
      const visible = subscriptionsVisibleTo(caller, account)
      const list = ['webhook-subscriptions', account, visible.ofInstance].join('\n')
      return answerPage(world.cipher, list, query, {
        read: (page) => listWebhookSubscriptions(world, visible, page),
        positionOf: newestFirstPosition,
        show,
      })
    },
  )

  app.post(
    '/webhook-subscriptions',
    {
      config: write,
      schema: {
        operationId: 'create_webhook_subscription',
        summary: 'Create a webhook subscription',
        description: 'Sends the events from now on to a URL, signed with the secret of the answer.',
        tags,
        headers,
        body: WebhookSubscriptionCreate,
        response: { 201: WebhookSubscription },
      },
    },
    async ({ body, account, caller }, reply) => {
      const { url, active = true } = body
      const authentication = body.authentication ? restoreMaskedSecrets(body.authentication, null) : null
      refuse(webhookSubscriptionProblems(world.settings, { url, authentication }))
      const creator = personOf(caller.actor)
      return reply
        .code(201)
        .send(show(await insertWebhookSubscription(world, { account, url, active, authentication, creator })))
    },
  )

  app.get(
    '/webhook-subscriptions/:subscription_id',
    {
      config: read,
      schema: {
        operationId: 'read_webhook_subscription',
        summary: 'Get a webhook subscription',
        description: 'One subscription with its signing secret.',
        tags,
        headers,
        params,
        response: { 200: WebhookSubscription },
      },
    },
    async ({ params, account, caller }) =>
      showFound(
        await findWebhookSubscription(world, subscriptionsVisibleTo(caller, account), params.subscription_id),
      ),
  )

  app.put(
    '/webhook-subscriptions/:subscription_id',
    {
      config: write,
      schema: {
        operationId: 'update_webhook_subscription',
        summary: 'Update a webhook subscription',
        description:
          'Changes the given members; `authentication` is replaced as a whole, and null removes it. Events that happened while a subscription was inactive are not sent.',
        tags,
        headers,
        params,
        body: WebhookSubscriptionUpdate,
        response: { 200: WebhookSubscription },
      },
    },
    async ({ params, body, account, caller }) =>
      showFound(
        await updateWebhookSubscription(
          world,
          subscriptionsVisibleTo(caller, account),
          params.subscription_id,
          body,
          (current, url) => {
            refuse(
              movedSecretsProblems(
                { url, authentication: current },
                { url: body.url ?? url, authentication: body.authentication },
              ),
            )
            const authentication = body.authentication
              ? restoreMaskedSecrets(body.authentication, current)
              : body.authentication
            refuse(
              webhookSubscriptionProblems(world.settings, {
                url: body.url ?? null,
                authentication: authentication ?? null,
              }),
            )
            return authentication
          },
        ),
      ),
  )

  app.delete(
    '/webhook-subscriptions/:subscription_id',
    {
      config: write,
      schema: {
        operationId: 'delete_webhook_subscription',
        summary: 'Delete a webhook subscription',
        description: 'Nothing more is sent to it.',
        tags,
        headers,
        params,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, account, caller }, reply) => {
      if (
        !(await deleteWebhookSubscription(
          world,
          subscriptionsVisibleTo(caller, account),
          params.subscription_id,
        ))
      )
        throw notFound()
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/webhook-subscriptions/:subscription_id/rotate-secret',
    {
      config: write,
      schema: {
        operationId: 'rotate_webhook_subscription_secret',
        summary: 'Rotate the secret of a webhook subscription',
        description:
          'Creates a new secret. For `delta` minutes, deliveries also have a signature with the old secret; a rotation within this time ends the oldest secret.',
        tags,
        headers,
        params,
        body: WebhookSubscriptionRotateSecret,
        response: { 200: WebhookSubscription },
      },
    },
    async ({ params, body, account, caller }) => {
      const minutes = body.delta ?? 0
      if (minutes > MAX_GRACE_MINUTES)
        throw invalid({ '/delta': `must not be more than a year, ${MAX_GRACE_MINUTES}` })
      return showFound(
        await rotateSecret(world, subscriptionsVisibleTo(caller, account), params.subscription_id, minutes),
      )
    },
  )
}

/** Null: the actor is a key pair, which has no email address. */
const personOf = ({ id, name, emailAddress }: Actor) =>
  emailAddress === null ? null : { id, name, email_address: emailAddress }
