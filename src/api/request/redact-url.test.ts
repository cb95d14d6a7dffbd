import fc from 'fast-check'
import { expect, test } from 'vitest'
import { growth } from '../../../test/support/growth.ts'
import { redactUrl, withoutCardNumbers } from './redact-url.ts'

const separators = ['', ' ', '+', '-', '.', '_', '%20', '%2D', '%2d', '%2E']

test('a card number in a URL does not reach the log, whatever separates its digits', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(9), { minLength: 13, maxLength: 19 }),
      fc.constantFrom(...separators),
      (digits, separator) => {
        const logged = redactUrl(`/buyers?search=${digits.join(separator)}&limit=5`)
        expect(logged).toBe('/buyers?search=***&limit=5')
      },
    ),
  )
})

test('ids are logged whole, also those with groups of digits alone', () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      expect(redactUrl(`/transactions/${id}/capture`)).toBe(`/transactions/${id}/capture`)
    }),
  )
  expect(withoutCardNumbers('01995012-1234-7123-8123-123456789012')).toBe(
    '01995012-1234-7123-8123-123456789012',
  )
})

test('search terms for people do not reach the log', () => {
  expect(redactUrl('/buyers?search=ada@example.com&limit=5')).toBe('/buyers?search=***&limit=5')
  expect(redactUrl('/transactions?status=processing&buyer_search%5B%5D=Ada&buyer_search[]=Lovelace')).toBe(
    '/transactions?status=processing&buyer_search%5B%5D=***&buyer_search[]=***',
  )
  expect(redactUrl('/transactions?ip_address=203.0.113.7&buyer_email_address=ada%40example.com')).toBe(
    '/transactions?ip_address=***&buyer_email_address=***',
  )
})

test('the rest of a path that begins like a secret one does not reach the log, also if no route has the path', () => {
  for (const path of [
    '/pay/abcDEF_-123',
    '/pay/abcDEF_-123/done',
    '/p%61y/abcDEF_-123',
    '//PAY/abcDEF_-123',
    '/p%2561y/abcDEF_-123',
  ])
    expect(redactUrl(`${path}?x=1`).toLowerCase()).toMatch(/^\/+pay\/\*{3}\?x=1$/)
  expect(redactUrl('http://shop.example/pay/abcDEF_-123')).toBe('/pay/***')
  expect(redactUrl('/pay/abc%0aDEF')).toBe('/pay/***')
})

test('a path or parameter that cannot be decoded does not reach the log', () => {
  expect(redactUrl('/pay%/abcDEF_-123')).toBe('/***')
  expect(redactUrl('/p%ff/abcDEF_-123?x=1')).toBe('/***?x=1')
  expect(redactUrl(`/p${'%25'.repeat(40)}61y/abcDEF_-123`)).not.toContain('abcDEF')
  expect(redactUrl(`/p%${'25'.repeat(40)}61y/abcDEF_-123`)).toBe('/***')
  expect(redactUrl('/reports?%ff=abc&x=%c0%80&signature')).toBe('/reports?***=***&x=***&signature')
})

test('a credential in a query does not reach the log, however its name is spelled', () => {
  for (const query of [
    'token=abc',
    'tok%65n=abc',
    'TOKEN=abc',
    'buyer_search%5B%5D=abc',
    'buyer+search=1&%73ignature=abc',
    'x#token=abc',
  ])
    expect(redactUrl(`/transactions?${query}`), query).not.toContain('abc')
  expect(redactUrl('/transactions#token=abc')).toBe('/transactions?token=***')
})

test('a card number does not reach the log, however its digits are escaped', () => {
  const digit = fc
    .tuple(fc.nat(9), fc.nat(2))
    .map(([value, turn]) => (turn === 0 ? `${value}` : turn === 1 ? `%3${value}` : `%253${value}`))
  const place = fc.constantFrom<(digits: string) => string>(
    (digits) => `/buyers/${digits}`,
    (digits) => `/${digits}/x`,
    (digits) => `/buyers?colour=${digits}`,
    (digits) => `/buyers?${digits}=1`,
    (digits) => `/buyers?${digits}`,
  )
  fc.assert(
    fc.property(fc.array(digit, { minLength: 13, maxLength: 19 }), place, (digits, at) => {
      const logged = redactUrl(at(digits.join('')))
      expect(logged).toContain('***')
      expect(decodeURIComponent(decodeURIComponent(logged)).replace(/\D/g, '').length).toBeLessThan(13)
    }),
  )
})

test.each([
  ['slashes', (size: number) => '/'.repeat(size)],
  ['digits', (size: number) => `/${'4 '.repeat(size / 2)}`],
  ['escapes', (size: number) => `/${'%25'.repeat(size / 3)}`],
  ['parameters', (size: number) => `/?${'token=&'.repeat(size / 7)}`],
])('the cost of redacting a URL of %s grows with its length and no faster', async (_, urlOf) => {
  expect(await growth(urlOf, 4_000, redactUrl)).toBeLessThan(32)
})

test('a request id that could be a card number is hidden', () => {
  for (const id of ['4111111111111111', 'r-4111-1111-1111-1111']) expect(withoutCardNumbers(id)).not.toBe(id)
  for (const id of ['req-2026-11-21', 'a1b2c3', '01995012-1234-7123-8123-123456789012'])
    expect(withoutCardNumbers(id)).toBe(id)
})
