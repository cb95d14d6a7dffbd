import { randomBytes } from 'node:crypto'
import { type Answer, type Incoming, json } from '../../core/provider-messages.ts'
import type { Sandbox } from '../../sandbox.ts'

const LIFE_S = 9 * 3600

/** The bearer tokens of one simulator. They are in memory only: after a restart none is valid. */
export class AccessTokens {
  readonly #granted = new Map<string, { service: string; client: string; until: number }>()

  /** POST /v1/oauth2/token. Any client secret is good except `invalid`. */
  grant({ clock }: Sandbox, service: string, { headers, body }: Incoming): Answer {
    const [scheme, given = ''] = (headers.authorization ?? '').split(' ')
    const [client, secret] = Buffer.from(given, 'base64').toString().split(':')
    if (scheme !== 'Basic' || !client || !secret || secret === 'invalid') {
      return json(401, { error: 'invalid_client', error_description: 'Client Authentication failed' })
    }
    const grant =
      typeof body === 'object' && body !== null && 'grant_type' in body ? body.grant_type : undefined
    if (grant !== 'client_credentials')
      return json(400, { error: 'unsupported_grant_type', error_description: 'Grant type is not supported' })
    const token = `A21AA${randomBytes(24).toString('base64url')}`
    this.#granted.set(token, { service, client, until: clock.now() + LIFE_S * 1000 })
    return json(200, {
      scope: 'sandbox',
      access_token: token,
      token_type: 'Bearer',
      app_id: 'APP-SANDBOX',
      expires_in: LIFE_S,
    })
  }

  /** The client id of the request's token; undefined without a valid token. */
  client({ clock }: Sandbox, service: string, { headers }: Incoming): string | undefined {
    const [scheme, token = ''] = (headers.authorization ?? '').split(' ')
    const granted = this.#granted.get(token)
    return scheme === 'Bearer' && granted?.service === service && granted.until > clock.now()
      ? granted.client
      : undefined
  }
}
