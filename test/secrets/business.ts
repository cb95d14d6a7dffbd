import { scenarioOf, threeDSConfiguration } from '../support/domains/three-d-secure-configuration.ts'
import { roleIds } from '../support/roles.ts'
import type { Body, Caller } from './caller.ts'
import type { Canaries } from './canaries.ts'

const EXPIRES = '12/35'
const AT_ONCE = 4
const faults = [undefined, 'error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage'] as const

/** Where a merchant is told of events, and how often each part is done. */
export interface Market {
  receiver: string
  payments: number
}

/** Everything in which a secret takes part: done, refused, done under faults, and done in the wrong shape. */
export async function doBusiness(
  { ask, url }: Caller,
  secrets: Canaries,
  { receiver, payments }: Market,
): Promise<void> {
  await services()
  const subscription = await webhooks()
  await keyPairs()
  await people()
  await several(payments, payment)
  await misbehave()
  await several(payments / 8, payout)
  await several(payments / 8, storedCard)
  await several(payments / 8, checkoutSession)
  await several(payments / 16, paymentLink)
  await several(payments / 8, giftCard)
  await several(1, authentication)
  await approvals()
  await refusals()
  await reports()
  await readEverything()
  await ask('POST', `/webhook-subscriptions/${subscription}/rotate-secret`, { delta: 60 }).then(keepSecret)

  async function misbehave(kind?: (typeof faults)[number]): Promise<void> {
    await ask('PUT', '/sandbox/faults', { items: kind ? [{ operation: '*', kind, times: 2 }] : [] })
  }

  function cardOf(): Body {
    return {
      method: 'card',
      number: secrets.make('card number'),
      expiration_date: EXPIRES,
      security_code: secrets.securityCode(),
    }
  }

  async function services(): Promise<void> {
    const common = { accepted_currencies: ['EUR'], accepted_countries: ['DE'] }
    const credential = () => secrets.make('service credential')
    const given: [string, object][] = [
      [
        'wallet-wallet',
        { client_id: 'shop', client_secret: credential(), environment: 'simulator', webhook_id: 'HOOK' },
      ],
      ['bnpl-bnpl', { username: 'shop', password: credential(), environment: 'simulator', region: 'eu' }],
    ]
    for (const [definition, fields] of given) {
      const body = {
        display_name: 'Theirs',
        payment_service_definition_id: definition,
        ...common,
        fields: pairs(fields),
      }
      const { body: made } = await ask('POST', '/payment-services', body)
      await ask('PUT', `/payment-services/${made.id}`, { fields: pairs(fields) })
      await ask('POST', '/payment-services/verify', {
        payment_service_definition_id: definition,
        fields: pairs(fields),
      })
    }
    const giftCards = {
      gift_card_service_definition_id: 'mock-gift-card',
      display_name: 'Gifts',
      fields: pairs({ api_key: credential() }),
    }
    const existing = (await ask('GET', '/gift-card-services')).body.items?.[0]
    await ask(
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
    await ask('POST', '/anti-fraud-services', antiFraud)
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
      const made = await ask('POST', '/webhook-subscriptions', { url: receiver, authentication }).then(
        keepSecret,
      )
      ids.push(made.id)
      await ask('POST', `/webhook-subscriptions/${made.id}/test`)
      await ask('POST', '/webhook-subscriptions', { url: 'https://127.0.0.1:22/', authentication })
    }
    return ids[0] ?? ''
  }

  function keepSecret({ body }: { body: Body }): Body {
    if (body.secret) secrets.keep('webhook secret', body.secret)
    return body
  }

  async function keyPairs(): Promise<void> {
    for (const algorithm of ['ECDSA', 'RSA']) {
      const { body } = await ask('POST', '/api-key-pairs', {
        display_name: 'Made',
        algorithm,
        role_ids: roleIds('processing'),
      })
      for (const line of String(body.private_key).split('\n').slice(2, 6))
        if (line.length > 40) secrets.keep('private key', line)
      await ask('GET', `/api-key-pairs/${body.id}`)
    }
  }

  async function people(): Promise<void> {
    const email_address = `ada-${Date.now()}@example.com`
    const { body: invited } = await ask('POST', '/users', {
      email_address,
      name: 'Ada',
      role_ids: roleIds('administrator'),
    })
    const token = String(invited.invitation_url).split('/').at(-1) ?? ''
    secrets.keep('session credential', token)
    const password = secrets.make('password')
    const without = { authorization: '' }
    await ask('POST', '/sessions', { email_address, password: secrets.make('password') }, without)
    const accepted = await ask('POST', '/invitations/accept', { token, password }, without)
    const signedIn = await ask('POST', '/sessions', { email_address, password }, without)
    for (const { headers, body } of [accepted, signedIn]) {
      const cookie = headers.getSetCookie()[0]?.split(';')[0]?.split('=')[1]
      if (cookie) secrets.keep('session credential', cookie)
      if (body.csrf_token) secrets.keep('session credential', body.csrf_token)
    }
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const session = { authorization: '', cookie, 'x-csrf-token': signedIn.body.csrf_token ?? '' }
    const totp = await ask('POST', '/users/me/totp', undefined, session)
    if (totp.body.secret) secrets.keep('session credential', totp.body.secret)
    await ask('PUT', '/users/me', { password: secrets.make('password'), current_password: password }, session)
  }

  async function payment(index: number): Promise<void> {
    await misbehave(faults[index % faults.length])
    const amount = [10_00, 10_00, 10_00, 200_011, 300_013, 540_001][index % 6] ?? 10_00
    const payment_method = cardOf()
    // careless merchants write what they should not where they may; only numbers in free text are theirs to
    // keep out
    const body = {
      amount: amount + index,
      currency: 'EUR',
      payment_method,
      metadata: { order: String(index) },
    }
    const { body: made } = await ask('POST', '/transactions', body, { 'idempotency-key': `payment-${index}` })
    await ask('POST', '/transactions', body, { 'idempotency-key': `payment-${index}` })
    await ask('POST', '/transactions', { ...body, colour: 'red' })
    const at = `/transactions/${made.id}`
    await ask('POST', `${at}/capture`, {})
    await ask('POST', `${at}/refunds`, { amount: 1_00 })
    await ask('POST', `${at}/sync`)
    for (const path of ['', '/events', '/actions']) await ask('GET', `${at}${path}`)
  }

  async function payout(index: number): Promise<void> {
    const services = (await ask('GET', '/payment-services?method=card')).body.items
    const payment_method = {
      number: secrets.make('card number'),
      expiration_date: index % 5 ? EXPIRES : '01/20',
    }
    const { body } = await ask('POST', '/payouts', {
      amount: index % 3 ? 30_00 : 530_001,
      currency: 'EUR',
      payment_service_id: services.at(-1).id,
      payment_method,
      buyer: { display_name: 'Ada' },
    })
    await ask('GET', `/payouts/${body.id}`)
  }

  async function storedCard(index: number): Promise<void> {
    const number = secrets.make('card number')
    const { body } = await ask('POST', '/payment-methods', { number, expiration_date: EXPIRES })
    const id = body.id
    await ask('POST', `/payment-methods/${id}/network-tokens`, {
      merchant_initiated: false,
      is_subsequent_payment: false,
      security_code: secrets.securityCode(),
    })
    const newer = {
      response_code: 'updated',
      account_number: secrets.make('card number'),
      expiration_month: '11',
      expiration_year: '2041',
    }
    const more =
      index % 2 ? { amount: 200_005, connection_options: { 'account-updater': newer } } : { amount: 10_00 }
    await ask('POST', '/transactions', {
      currency: 'EUR',
      payment_method: { method: 'id', id, security_code: secrets.securityCode() },
      ...more,
    })
    await ask('POST', '/transactions', {
      currency: 'EUR',
      amount: 10_00,
      payment_method: cardOf(),
      store: true,
    })
    await ask('GET', `/payment-methods/${id}`)
  }

  async function checkoutSession(index: number): Promise<void> {
    const { body } = await ask('POST', '/checkout/sessions', { amount: 10_00, currency: 'EUR' })
    const at = `/checkout/sessions/${body.id}`
    const payment_method = cardOf()
    for (const wrong of [
      { ...payment_method, expiration_date: '01/20' },
      { ...payment_method, number: `${payment_method.number} ` },
      payment_method.number,
    ])
      await ask('PUT', `${at}/fields`, { payment_method: wrong }, { authorization: '' })
    await ask('PUT', `${at}/fields`, { payment_method }, { authorization: '' })
    await ask('GET', at)
    if (index % 2)
      await ask('POST', '/transactions', {
        amount: 10_00,
        currency: 'EUR',
        payment_method: { method: 'checkout-session', id: body.id },
      })
  }

  async function paymentLink(index: number): Promise<void> {
    const { body } = await ask('POST', '/payment-links', {
      amount: 10_00 + index,
      currency: 'EUR',
      country: 'DE',
    })
    const token = String(body.url).split('/').at(-1) ?? ''
    secrets.keep('link token', token)
    const page = `${url}/pay/${token}`
    await ask('GET', page, undefined, { authorization: '' })
    const { body: session } = await ask('POST', `${page}/sessions`, {}, { authorization: '' })
    await ask(
      'PUT',
      `/checkout/sessions/${session.id ?? session.checkout_session_id}/fields`,
      { payment_method: cardOf() },
      { authorization: '' },
    )
    await ask(
      'POST',
      `${page}/payments`,
      { method: 'card', checkout_session_id: session.id ?? session.checkout_session_id },
      { authorization: '' },
    )
    await ask('GET', `${page}/status`, undefined, { authorization: '' })
    await ask('GET', `/payment-links/${body.id}`)
    if (index % 3 === 0) await ask('POST', `/payment-links/${body.id}/expire`)
  }

  async function giftCard(index: number): Promise<void> {
    const given = { number: secrets.make('gift card number'), pin: index % 4 ? '05000' : '00000' }
    await ask('POST', '/gift-cards', given)
    await ask('POST', '/gift-cards/balances', { items: [given] })
    const redeemed = { number: secrets.make('gift card number'), pin: '05000', amount: 1_00 }
    await ask('POST', '/transactions', {
      amount: 10_00,
      currency: 'EUR',
      payment_method: cardOf(),
      gift_cards: [redeemed],
    })
  }

  async function authentication(): Promise<void> {
    await ask('POST', '/merchant-accounts/default/three-ds-configurations', threeDSConfiguration())
    const scenario = await ask('POST', '/three-ds-scenarios', scenarioOf({ amount: 77_00 }, 'C', 'Y'))
    const payment_method = { ...cardOf(), redirect_url: 'https://shop.example/return' }
    const { body } = await ask('POST', '/transactions', {
      amount: 77_00,
      currency: 'EUR',
      payment_method,
      browser_info: {
        javascript_enabled: true,
        java_enabled: false,
        language: 'en',
        color_depth: 24,
        screen_height: 800,
        screen_width: 600,
        time_zone_offset: 0,
        user_device: 'desktop',
        user_agent: 'x',
        accept_header: '*/*',
      },
    })
    if (body.payment_method?.approval_url)
      await ask('GET', body.payment_method.approval_url, undefined, { authorization: '' })
    await ask('DELETE', `/three-ds-scenarios/${scenario.body.id}`)
  }

  async function approvals(): Promise<void> {
    const payment_method = {
      method: 'wallet',
      country: 'DE',
      currency: 'EUR',
      redirect_url: 'https://shop.example/return',
    }
    const { body } = await ask('POST', '/transactions', {
      amount: 10_00,
      currency: 'EUR',
      country: 'DE',
      payment_method,
      intent: 'capture',
    })
    for (const link of [body.payment_method?.approval_url, body.session_token].filter(
      (text) => typeof text === 'string',
    )) {
      const credential = /[?&](?:token|session_token)=([^&]+)/.exec(link)?.[1]
      if (credential) secrets.keep('session credential', decodeURIComponent(credential))
    }
    await ask('GET', `/transactions/${body.id}`)
  }

  async function refusals(): Promise<void> {
    const number = secrets.make('card number')
    const whole = { amount: 10_00, currency: 'EUR', payment_method: { ...cardOf(), number } }
    await ask('POST', '/transactions', JSON.stringify(whole).slice(0, -2))
    await ask('POST', '/transactions', `[${JSON.stringify(whole)}]`)
    await ask('POST', '/transactions', { ...whole, payment_method: number })
    await ask('POST', '/transactions', {
      ...whole,
      payment_method: { ...whole.payment_method, number: Number(number) },
    })
    await ask('POST', '/transactions', { ...whole, currency: number })
    await ask('POST', `/transactions/${number}/capture`, {})
    await ask('GET', `/transactions?search=${number}&card=${number}`)
    await ask('GET', `/no-such-path/${number}`)
    await ask('POST', '/buyers', { [number]: number })
    await ask(
      'POST',
      '/sessions',
      { email_address: 'ada@example.com', password: [secrets.make('password')] },
      { authorization: '' },
    )
    await ask('GET', '/transactions', undefined, { 'x-request-id': number, 'idempotency-key': number })
    await ask('GET', '/transactions', undefined, { authorization: `Bearer ${secrets.make('bearer token')}` })
  }

  async function reports(): Promise<void> {
    const spec = { model: 'transactions', params: { fields: ['id', 'status', 'amount'] } }
    const { body } = await ask('POST', '/reports', {
      name: 'All',
      schedule: 'once',
      schedule_enabled: false,
      spec,
    })
    for (let tries = 0; tries < 50; tries++) {
      const { body: link, status } = await ask(
        'POST',
        `/reports/${body.id}/executions/${body.latest_execution.id}/url`,
        {},
      )
      if (status !== 200) {
        await new Promise((resolve) => setTimeout(resolve, 200))
        continue
      }
      secrets.keep('download signature', new URL(link.url).searchParams.get('signature') ?? '')
      await ask('GET', link.url, undefined, { authorization: '' })
      await ask('GET', link.url.replace(/.$/, '_'), undefined, { authorization: '' })
      return
    }
    throw new Error('the report was not made')
  }

  async function readEverything(): Promise<void> {
    for (const path of [
      '/transactions?limit=100',
      '/payouts',
      '/payment-methods',
      '/payment-links',
      '/events?limit=100',
      '/audit-logs',
      '/api-key-pairs',
      '/users',
    ])
      await ask('GET', path)
    for (const { id } of (await ask('GET', '/webhook-subscriptions')).body.items)
      await ask('GET', `/webhook-subscriptions/${id}/deliveries`)
    for (const path of ['/payment-services', '/gift-card-services', '/anti-fraud-services'])
      await ask('GET', path)
  }
}

/** A few at a time. */
async function several(count: number, each: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const work = async () => {
    for (let index = next++; index < count; index = next++) await each(index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

const pairs = (fields: object) => Object.entries(fields).map(([key, value]) => ({ key, value }))
