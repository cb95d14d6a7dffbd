import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { icon, initialsOf } from './icon.ts'

const railyard = await startRailyardForFile()

test('each card scheme and payment method has a name and a public icon', async () => {
  for (const path of ['/card-scheme-definitions', '/payment-method-definitions']) {
    const { status, body } = await railyard.admin.get(path)
    expect(status).toBe(200)
    const ids = body.items.map(({ id }: { id: string }) => id)
    expect(ids.length).toBeGreaterThan(20)
    expect(ids).toEqual(ids.toSorted())
    const checkIcon = async ({ icon_url, display_name }: { icon_url: string; display_name: string }) => {
      expect(icon_url.startsWith(railyard.url)).toBe(true)
      const answer = await fetch(icon_url)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
      expect(await answer.text()).toContain(initialsOf(display_name))
    }
    await Promise.all(body.items.map(checkIcon))
  }
})

test('the definitions use the ids of the API', async () => {
  const { body } = await railyard.admin.get('/card-scheme-definitions')
  expect(body.items).toContainEqual({
    type: 'card-scheme-definition',
    id: 'diners-club',
    icon_url: `${railyard.url}/assets/card-schemes/diners-club.svg`,
    display_name: 'Diners Club',
  })
  const methods = await railyard.admin.get('/payment-method-definitions')
  expect(methods.body.items).toContainEqual({
    id: 'card',
    icon_url: `${railyard.url}/assets/payment-methods/card.svg`,
    display_name: 'Card',
    long_display_name: 'Credit or debit card',
    method: 'card',
  })
})

test('an unknown icon is a 404', async () => {
  for (const path of ['visa', 'vista.svg', 'constructor.svg', '__proto__.svg', 'visa.svg.svg'])
    expect((await railyard.send('GET', `/assets/card-schemes/${path}`)).status).toBe(404)
})

test('an icon is well-formed for any name', () => {
  expect([
    initialsOf('Visa'),
    initialsOf('Diners Club'),
    initialsOf("Touch 'n Go"),
    initialsOf('7-Eleven'),
  ]).toEqual(['VI', 'DC', 'TN', '7E'])
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const text = icon(name)
      expect(text.match(/<title>([^<]*)<\/title>/)?.[1]).not.toMatch(/["'>]|&(?!#\d+;)/)
      expect(text.match(/</g)).toHaveLength(7)
    }),
  )
})
