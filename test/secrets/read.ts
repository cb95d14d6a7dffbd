import type { Caller } from './caller.ts'
import type { Canaries } from './canaries.ts'
import { cardOf } from './pay.ts'

/** A merchant sends requests that are refused, makes a report and reads everything. */
export function reading({ send }: Caller, secrets: Canaries) {
  async function refusals(): Promise<void> {
    const number = secrets.make('card number')
    const whole = { amount: 10_00, currency: 'EUR', payment_method: { ...cardOf(secrets), number } }
    await send('POST', '/transactions', JSON.stringify(whole).slice(0, -2))
    await send('POST', '/transactions', `[${JSON.stringify(whole)}]`)
    await send('POST', '/transactions', { ...whole, payment_method: number })
    await send('POST', '/transactions', {
      ...whole,
      payment_method: { ...whole.payment_method, number: Number(number) },
    })
    await send('POST', '/transactions', { ...whole, currency: number })
    await send('POST', `/transactions/${number}/capture`, {})
    await send('GET', `/transactions?search=${number}&card=${number}`)
    await send('GET', `/no-such-path/${number}`)
    await send('POST', '/buyers', { [number]: number })
    await send(
      'POST',
      '/sessions',
      { email_address: 'ada@example.com', password: [secrets.make('password')] },
      { authorization: '' },
    )
    await send('GET', '/transactions', undefined, { 'x-request-id': number, 'idempotency-key': number })
    await send('GET', '/transactions', undefined, { authorization: `Bearer ${secrets.make('bearer token')}` })
  }

  async function reports(): Promise<void> {
    const spec = { model: 'transactions', params: { fields: ['id', 'status', 'amount'] } }
    const { body } = await send('POST', '/reports', {
      name: 'All',
      schedule: 'once',
      schedule_enabled: false,
      spec,
    })
    for (let tries = 0; tries < 50; tries++) {
      const { body: link, status } = await send(
        'POST',
        `/reports/${body.id}/executions/${body.latest_execution.id}/url`,
        {},
      )
      if (status !== 200) {
        await new Promise((resolve) => setTimeout(resolve, 200))
        continue
      }
      secrets.keep('download signature', new URL(link.url).searchParams.get('signature') ?? '')
      await send('GET', link.url, undefined, { authorization: '' })
      await send('GET', link.url.replace(/.$/, '_'), undefined, { authorization: '' })
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
      await send('GET', path)
    for (const { id } of (await send('GET', '/webhook-subscriptions')).body.items)
      await send('GET', `/webhook-subscriptions/${id}/deliveries`)
    for (const path of ['/payment-services', '/gift-card-services', '/anti-fraud-services'])
      await send('GET', path)
  }

  return { refusals, reports, readEverything }
}
