import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Uuid } from '../../api/schema.ts'
import { SECRET_MASK } from '../../api/values/secret-mask.ts'

const Url = Type.String({ maxLength: 2048 })
const Credential = Type.String({ maxLength: 2048 })
const Masked = Described(
  Type.Literal(SECRET_MASK),
  'Never answered; sent back, it leaves the secret as it is',
)

/** The kind of authentication. A request may leave it out, since the other members tell the kind, too. */
const kind = <const K extends string>(word: K) => Type.Optional({ ...Type.Literal(word), default: word })

const client = {
  client_id: Credential,
  client_secret: Credential,
  token_url: Url,
  scope: Type.Optional(Nullable(Credential)),
}
const user = { username: Credential, password: Credential }

/** The three kinds of semantics §15.1. */
export const WebhookAuthenticationCreate = Type.Union([
  Closed('BasicAuthenticationCreate', { kind: kind('basic'), ...user }),
  Closed('CredentialsOAuthAuthenticationCreate', { kind: kind('oauth_client_credentials'), ...client }),
  Closed('PasswordOAuthAuthenticationCreate', { kind: kind('oauth_password'), ...client, ...user }),
])
export type WebhookAuthenticationCreate = Static<typeof WebhookAuthenticationCreate>

const type = Type.Literal('webhook-authentication')
const shownClient = {
  client_id: Type.String(),
  client_secret: Masked,
  token_url: Type.String(),
  scope: Nullable(Type.String()),
}
const shownUser = { username: Type.String(), password: Masked }

export const WebhookAuthentication = Type.Union([
  Closed('BasicAuthentication', { type, kind: Type.Literal('basic'), ...shownUser }),
  Closed('CredentialsOAuthAuthentication', {
    type,
    kind: Type.Literal('oauth_client_credentials'),
    ...shownClient,
  }),
  Closed('PasswordOAuthAuthentication', {
    type,
    kind: Type.Literal('oauth_password'),
    ...shownClient,
    ...shownUser,
  }),
])
export type WebhookAuthentication = Static<typeof WebhookAuthentication>

const Creator = Closed('WebhookSubscriptionCreator', {
  id: Uuid,
  name: Type.String(),
  email_address: Type.String(),
})

export const WebhookSubscription = Closed('WebhookSubscription', {
  type: Type.Literal('webhook-subscription'),
  id: Uuid,
  merchant_account_id: Nullable(
    Described(
      Type.String(),
      'Null: the subscription belongs to the instance and gets the events of all accounts',
    ),
  ),
  active: Described(Type.Boolean(), 'Whether events are sent'),
  url: Type.String(),
  authentication: Nullable(WebhookAuthentication),
  secret: Nullable(Described(Type.String(), 'The newest secret, with which deliveries are signed')),
  rotating: Described(Type.Boolean(), 'Whether deliveries are also signed with the previous secret'),
  creator: Nullable(Described(Creator, 'The user; null: created with an API key')),
})
export type WebhookSubscription = Static<typeof WebhookSubscription>

export const WebhookSubscriptions = Page('WebhookSubscriptions', WebhookSubscription)

export const WebhookSubscriptionCreate = Closed('WebhookSubscriptionCreate', {
  url: Described(Url, 'HTTPS, on the public network; in the sandbox also HTTP on a loopback host'),
  active: Type.Optional({ ...Type.Boolean(), default: true }),
  authentication: Type.Optional(Nullable(WebhookAuthenticationCreate)),
})

/**
 * An omitted member stays as it is. Null removes `authentication`; for the other members it means the same as
 * leaving them out.
 */
export const WebhookSubscriptionUpdate = Closed('WebhookSubscriptionUpdate', {
  url: Type.Optional(Nullable(Url)),
  active: Type.Optional(Nullable(Type.Boolean())),
  authentication: Type.Optional(Nullable(WebhookAuthenticationCreate)),
})
export type WebhookSubscriptionUpdate = Static<typeof WebhookSubscriptionUpdate>

export const WebhookSubscriptionRotateSecret = Closed('WebhookSubscriptionRotateSecret', {
  delta: Type.Optional(
    Nullable(
      Described(
        Type.Integer({ minimum: 0 }),
        'Minutes for which the old secret signs beside the new one; 0, null or absent: it is worthless at once',
      ),
    ),
  ),
})
