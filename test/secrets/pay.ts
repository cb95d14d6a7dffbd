import { scenarioOf, threeDSConfiguration } from '../support/domains/three-d-secure-configuration.ts'
import type { Body, Caller } from './caller.ts'
import type { Canaries } from './canaries.ts'

const EXPIRES = '12/35'
const faults = [undefined, 'error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage'] as const

/** A new card, with its code. */
export const cardOf = (secrets: Canaries): Body => ({
  method: 'card',
  number: secrets.make('card number'),
  expiration_date: EXPIRES,
  security_code: secrets.securityCode(),
})

/** A merchant takes payments of every kind and pays out, some of them under faults. */
export function payments({ send, url }: Caller, secrets: Canaries) {
  async function setFaults(kind?: (typeof faults)[number]): Promise<void> {
    await send('PUT', '/sandbox/faults', { items: kind ? [{ operation: '*', kind, times: 2 }] : [] })
  }

  async function payment(index: number): Promise<void> {
    await setFaults(faults[index % faults.length])
    const amount = [10_00, 10_00, 10_00, 200_011, 300_013, 540_001][index % 6] ?? 10_00
    const payment_method = cardOf(secrets)
    // careless merchants write what they should not where they may; only numbers in free text are theirs to
    // keep out
    const body = {
      amount: amount + index,
      currency: 'EUR',
      payment_method,
      metadata: { order: String(index) },
    }
    const { body: made } = await send('POST', '/transactions', body, {
      'idempotency-key': `payment-${index}`,
    })
    await send('POST', '/transactions', body, { 'idempotency-key': `payment-${index}` })
    await send('POST', '/transactions', { ...body, colour: 'red' })
    const at = `/transactions/${made.id}`
    await send('POST', `${at}/capture`, {})
    await send('POST', `${at}/refunds`, { amount: 1_00 })
    await send('POST', `${at}/sync`)
    for (const path of ['', '/events', '/actions']) await send('GET', `${at}${path}`)
  }

  async function payout(index: number): Promise<void> {
    const services = (await send('GET', '/payment-services?method=card')).body.items
    const payment_method = {
      number: secrets.make('card number'),
      expiration_date: index % 5 ? EXPIRES : '01/20',
    }
    const { body } = await send('POST', '/payouts', {
      amount: index % 3 ? 30_00 : 530_001,
      currency: 'EUR',
      payment_service_id: services.at(-1).id,
      payment_method,
      buyer: { display_name: 'Ada' },
    })
    await send('GET', `/payouts/${body.id}`)
  }

  async function storedCard(index: number): Promise<void> {
    const number = secrets.make('card number')
    const { body } = await send('POST', '/payment-methods', { number, expiration_date: EXPIRES })
    const id = body.id
    await send('POST', `/payment-methods/${id}/network-tokens`, {
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
    await send('POST', '/transactions', {
      currency: 'EUR',
      payment_method: { method: 'id', id, security_code: secrets.securityCode() },
      ...more,
    })
    await send('POST', '/transactions', {
      currency: 'EUR',
      amount: 10_00,
      payment_method: cardOf(secrets),
      store: true,
    })
    await send('GET', `/payment-methods/${id}`)
  }

  async function checkoutSession(index: number): Promise<void> {
    const { body } = await send('POST', '/checkout/sessions', { amount: 10_00, currency: 'EUR' })
    const at = `/checkout/sessions/${body.id}`
    const payment_method = cardOf(secrets)
    for (const wrong of [
      { ...payment_method, expiration_date: '01/20' },
      { ...payment_method, number: `${payment_method.number} ` },
      payment_method.number,
    ])
      await send('PUT', `${at}/fields`, { payment_method: wrong }, { authorization: '' })
    await send('PUT', `${at}/fields`, { payment_method }, { authorization: '' })
    await send('GET', at)
    if (index % 2)
      await send('POST', '/transactions', {
        amount: 10_00,
        currency: 'EUR',
        payment_method: { method: 'checkout-session', id: body.id },
      })
  }

  async function paymentLink(index: number): Promise<void> {
    const { body } = await send('POST', '/payment-links', {
      amount: 10_00 + index,
      currency: 'EUR',
      country: 'DE',
    })
    const token = String(body.url).split('/').at(-1) ?? ''
    secrets.keep('link token', token)
    const page = `${url}/pay/${token}`
    await send('GET', page, undefined, { authorization: '' })
    const { body: session } = await send('POST', `${page}/sessions`, {}, { authorization: '' })
    await send(
      'PUT',
      `/checkout/sessions/${session.id ?? session.checkout_session_id}/fields`,
      { payment_method: cardOf(secrets) },
      { authorization: '' },
    )
    await send(
      'POST',
      `${page}/payments`,
      { method: 'card', checkout_session_id: session.id ?? session.checkout_session_id },
      { authorization: '' },
    )
    await send('GET', `${page}/status`, undefined, { authorization: '' })
    await send('GET', `/payment-links/${body.id}`)
    if (index % 3 === 0) await send('POST', `/payment-links/${body.id}/expire`)
  }

  async function giftCard(index: number): Promise<void> {
    const card = { number: secrets.make('gift card number'), pin: index % 4 ? '05000' : '00000' }
    await send('POST', '/gift-cards', card)
    await send('POST', '/gift-cards/balances', { items: [card] })
    const redeemed = { number: secrets.make('gift card number'), pin: '05000', amount: 1_00 }
    await send('POST', '/transactions', {
      amount: 10_00,
      currency: 'EUR',
      payment_method: cardOf(secrets),
      gift_cards: [redeemed],
    })
  }

  async function authentication(): Promise<void> {
    await send('POST', '/merchant-accounts/default/three-ds-configurations', threeDSConfiguration())
    const scenario = await send('POST', '/three-ds-scenarios', scenarioOf({ amount: 77_00 }, 'C', 'Y'))
    const payment_method = { ...cardOf(secrets), redirect_url: 'https://shop.example/return' }
    const { body } = await send('POST', '/transactions', {
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
      await send('GET', body.payment_method.approval_url, undefined, { authorization: '' })
    await send('DELETE', `/three-ds-scenarios/${scenario.body.id}`)
  }

  async function approvals(): Promise<void> {
    const payment_method = {
      method: 'wallet',
      country: 'DE',
      currency: 'EUR',
      redirect_url: 'https://shop.example/return',
    }
    const { body } = await send('POST', '/transactions', {
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
    await send('GET', `/transactions/${body.id}`)
  }

  return {
    setFaults,
    payment,
    payout,
    storedCard,
    checkoutSession,
    paymentLink,
    giftCard,
    authentication,
    approvals,
  }
}
