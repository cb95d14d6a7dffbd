import { roleIds } from '../support/roles.ts'
import type { Body, Caller } from './caller.ts'
import type { Canaries } from './canaries.ts'

/** A merchant configures services, webhooks, key pairs and people. */
export function configuration({ send }: Caller, secrets: Canaries, receiver: string) {
  function keepSecret({ body }: { body: Body }): Body {
    if (body.secret) secrets.keep('webhook secret', body.secret)
    return body
  }

  async function services(): Promise<void> {
    const common = { accepted_currencies: ['EUR'], accepted_countries: ['DE'] }
    const credential = () => secrets.make('service credential')
    const entries: [string, object][] = [
      [
        'wallet-wallet',
        { client_id: 'shop', client_secret: credential(), environment: 'simulator', webhook_id: 'HOOK' },
      ],
      ['bnpl-bnpl', { username: 'shop', password: credential(), environment: 'simulator', region: 'eu' }],
    ]
    for (const [definition, fields] of entries) {
      const body = {
        display_name: 'Theirs',
        payment_service_definition_id: definition,
        ...common,
        fields: pairs(fields),
      }
      const { body: made } = await send('POST', '/payment-services', body)
      await send('PUT', `/payment-services/${made.id}`, { fields: pairs(fields) })
      await send('POST', '/payment-services/verify', {
        payment_service_definition_id: definition,
        fields: pairs(fields),
      })
    }
    const giftCards = {
      gift_card_service_definition_id: 'mock-gift-card',
      display_name: 'Gifts',
      fields: pairs({ api_key: credential() }),
    }
    const existing = (await send('GET', '/gift-card-services')).body.items?.[0]
    await send(
      existing ? 'PUT' : 'POST',
      existing ? `/gift-card-services/${existing.id}` : '/gift-card-services',
      existing ? { fields: giftCards.fields } : giftCards,
    )
    const antiFraud = {
      anti_fraud_service_definition_id: 'mock-anti-fraud',
      display_name: 'Checks',
      fields: pairs({ api_key: credential() }),
      active: false,
    }
    await send('POST', '/anti-fraud-services', antiFraud)
  }

  async function webhooks(): Promise<string> {
    const password = () => secrets.make('password')
    const token_url = 'https://tokens.invalid/token'
    const authentications = [
      { kind: 'basic', username: 'shop', password: password() },
      { kind: 'oauth_client_credentials', client_id: 'shop', client_secret: password(), token_url },
      {
        kind: 'oauth_password',
        client_id: 'shop',
        client_secret: password(),
        username: 'shop',
        password: password(),
        token_url,
      },
    ]
    const ids: string[] = []
    for (const authentication of authentications) {
      const made = await send('POST', '/webhook-subscriptions', { url: receiver, authentication }).then(
        keepSecret,
      )
      ids.push(made.id)
      await send('POST', `/webhook-subscriptions/${made.id}/test`)
      await send('POST', '/webhook-subscriptions', { url: 'https://127.0.0.1:22/', authentication })
    }
    return ids[0] ?? ''
  }

  async function keyPairs(): Promise<void> {
    for (const algorithm of ['ECDSA', 'RSA']) {
      const { body } = await send('POST', '/api-key-pairs', {
        display_name: 'Made',
        algorithm,
        role_ids: roleIds('processing'),
      })
      for (const line of String(body.private_key).split('\n').slice(2, 6))
        if (line.length > 40) secrets.keep('private key', line)
      await send('GET', `/api-key-pairs/${body.id}`)
    }
  }

  async function people(): Promise<void> {
    const email_address = `ada-${Date.now()}@example.com`
    const { body: invited } = await send('POST', '/users', {
      email_address,
      name: 'Ada',
      role_ids: roleIds('administrator'),
    })
    const token = String(invited.invitation_url).split('/').at(-1) ?? ''
    secrets.keep('session credential', token)
    const password = secrets.make('password')
    const without = { authorization: '' }
    await send('POST', '/sessions', { email_address, password: secrets.make('password') }, without)
    const accepted = await send('POST', '/invitations/accept', { token, password }, without)
    const signedIn = await send('POST', '/sessions', { email_address, password }, without)
    for (const { headers, body } of [accepted, signedIn]) {
      const cookie = headers.getSetCookie()[0]?.split(';')[0]?.split('=')[1]
      if (cookie) secrets.keep('session credential', cookie)
      if (body.csrf_token) secrets.keep('session credential', body.csrf_token)
    }
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const session = { authorization: '', cookie, 'x-csrf-token': signedIn.body.csrf_token ?? '' }
    const totp = await send('POST', '/users/me/totp', undefined, session)
    if (totp.body.secret) secrets.keep('session credential', totp.body.secret)
    await send(
      'PUT',
      '/users/me',
      { password: secrets.make('password'), current_password: password },
      session,
    )
  }

  return { services, webhooks, keyPairs, people, keepSecret }
}

const pairs = (fields: object) => Object.entries(fields).map(([key, value]) => ({ key, value }))
