import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { cspReport, openedPageIncident, reportPath } from '../../test/support/domains/hosted-pages.ts'
import { sendLink } from '../../test/support/domains/payment-links.ts'
import { openShop } from '../../test/support/shop.ts'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { MAX_OPEN_INCIDENTS, recordFinding } from './page-incident.store.ts'

const railyard = await startRailyardForFile()

const report = (account: string, body: unknown, type = 'application/reports+json') =>
  railyard.send('POST', reportPath(railyard, account), {
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('a page of a payment link', () => {
  test('tells the browser where to report, and that place takes the report', async () => {
    const shop = await railyard.merchant()
    const { url } = await sendLink(railyard, shop)
    const { headers } = await fetch(url)
    const endpoint = /report-uri ([^;]+)$/.exec(headers.get('content-security-policy') ?? '')?.[1] ?? ''
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/csp-report' },
      body: JSON.stringify({
        'csp-report': {
          'effective-directive': 'script-src-elem',
          'blocked-uri': 'https://evil.example/skim.js',
          'document-uri': url,
        },
      }),
    })
    expect(answer.status).toBe(204)
    const { items } = (await shop.get('/hosted-pages/incidents')).body
    expect(items).toMatchObject([
      { page: 'payment-link', kind: 'script', subject: 'https://evil.example', reports: 1, closed_at: null },
    ])
    // the URL of the link is a credential
    expect(JSON.stringify(items)).not.toContain(new URL(url).pathname)
  })

  test('runs the scripts of the inventory and no other', async () => {
    const shop = await railyard.merchant()
    const page = await (await fetch((await sendLink(railyard, shop)).url)).text()
    const { items } = (await shop.get('/hosted-pages/scripts')).body
    const listed = items.filter(
      ({ page: name, url }: { page: string; url: string | null }) => name === 'payment-link' && url === null,
    )
    const found = [...page.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
      ([, text = '']) => `sha256-${createHash('sha256').update(text).digest('base64')}`,
    )
    expect(listed.map(({ integrity }: { integrity: string }) => integrity)).toEqual(found)
  })

  test('names in its policy the one script of the inventory that is not Railyard’s, if it offers Google Pay', async () => {
    const shop = await openShop(railyard)
    const policy = async () =>
      (await fetch((await sendLink(railyard, shop)).url)).headers.get('content-security-policy')
    const { items } = (await shop.get('/hosted-pages/scripts')).body
    const foreign = items.filter(({ integrity }: { integrity: string | null }) => integrity === null)
    expect(foreign).toMatchObject([
      { page: 'payment-link', url: expect.stringContaining('google'), size: null },
    ])
    expect(await policy()).not.toContain(foreign[0].url)
    const wallet = { provider: 'google', merchant_name: 'Shop', accept_terms_and_conditions: true }
    expect(await shop.post('/digital-wallets', wallet)).toMatchObject({ status: 201 })
    expect(await policy()).toContain(foreign[0].url)
  })
})

test('the first report opens an incident with an event, further ones are counted', async () => {
  const shop = await railyard.merchant()
  const id = await openedPageIncident(railyard, shop)
  for (let count = 0; count < 2; count++)
    await report(shop.account, [cspReport('script-src-elem', 'https://evil.example/other.js')])
  expect((await shop.get(`/hosted-pages/incidents/${id}`)).body).toMatchObject({ id, reports: 3 })
  const events = (await shop.get('/events')).body.items
  expect(events.filter(({ name }: { name: string }) => name.startsWith('hosted-page'))).toMatchObject([
    { name: 'hosted-page.incident.created', target: { type: 'hosted-page.incident', id, kind: 'script' } },
  ])
})

test('simultaneous reports of the same finding open one incident', async () => {
  const shop = await railyard.merchant()
  await Promise.all(
    Array.from({ length: 10 }, () =>
      report(shop.account, [cspReport('connect-src', 'https://out.example/')]),
    ),
  )
  const { items } = (await shop.get('/hosted-pages/incidents')).body
  expect(items).toHaveLength(1)
})

test('a person notes what it was and closes it; the same finding opens another one', async () => {
  const shop = await railyard.merchant()
  const id = await openedPageIncident(railyard, shop)
  const closed = await shop.put(`/hosted-pages/incidents/${id}`, { notes: 'A tag manager', closed: true })
  expect(closed).toMatchObject({
    status: 200,
    body: { notes: 'A tag manager', closed_at: expect.any(String) },
  })
  const again = await shop.put(`/hosted-pages/incidents/${id}`, { closed: true })
  expect(again.body).toEqual(closed.body)
  railyard.clock.advance(1_000)
  expect(await openedPageIncident(railyard, shop)).not.toBe(id)
})

test('an account has a limited number of open incidents, however many origins are reported', async () => {
  const shop = await railyard.merchant()
  const origins = Array.from({ length: MAX_OPEN_INCIDENTS + 20 }, (_, index) =>
    cspReport('script-src-elem', `https://evil-${index}.example/`),
  )
  while (origins.length > 0) await report(shop.account, origins.splice(0, 40))
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { items, next_cursor } = (await shop.get(`/hosted-pages/incidents?limit=100${cursor}`)).body
    ids.push(...items)
    if (next_cursor === null) break
    cursor = `&cursor=${next_cursor}`
  }
  expect(ids).toHaveLength(MAX_OPEN_INCIDENTS)
  const changed = { page: 'payment-link', kind: 'changed', subject: 'document' } as const
  await recordFinding(railyard.world, { account: shop.account, ...changed })
  expect((await shop.get('/hosted-pages/incidents?limit=1')).body.items).toMatchObject([changed])
})

test('a report without the proof of the page, of an unknown page or of a wrong form is refused', async () => {
  const shop = await railyard.merchant()
  const other = await railyard.merchant()
  const good = reportPath(railyard, shop.account)
  const options = { headers: { 'content-type': 'application/reports+json' }, body: '[]' }
  for (const path of [
    good.replace(shop.account, other.account),
    good.replace('payment-link', 'challenge'),
    `${good}x`,
  ])
    expect((await railyard.send('POST', path, options)).status).toBe(404)
  expect((await railyard.send('POST', good.replace('payment-link', 'home'), options)).status).toBe(422)
  expect((await report(shop.account, '{')).status).toBe(400)
  expect((await report(shop.account, { a: 1 })).status).toBe(400)
  expect((await report(shop.account, `[${'1,'.repeat(80_000)}1]`)).status).toBe(413)
  expect((await shop.get('/hosted-pages/incidents')).body.items).toEqual([])
})
