import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asked, emv, simulate } from '../../../test/support/domains/three-d-secure.ts'
import type { BrowserForCall } from '../contract/call.ts'
import type { AuthenticationRequest } from '../contract/three-d-secure-server.ts'
import { redactor } from '../wire/redact.ts'
import { areq } from './areq.ts'
import { type Version, versions } from './version.ts'

const now = Date.UTC(2026, 10, 21, 17, 5, 9)
const build = (request: AuthenticationRequest, version: Version = '2.2.0') =>
  areq(request, version, 'https://3ds.example/3dss/rreq', now)

/** The violations of the contract in a message. */
const violations = (body: Record<string, unknown>) =>
  emv.request({ method: 'POST', path: '/ds/areq', headers: { 'content-type': 'application/json' }, body })

const browser: BrowserForCall = {
  javascript_enabled: true,
  java_enabled: false,
  language: 'zh-Hant-TW',
  color_depth: 30,
  screen_height: 1080,
  screen_width: 1920,
  time_zone_offset: -330,
  user_agent: 'Mozilla/5.0',
  accept_header: 'text/html',
  ip_address: '2001:db8::1',
}

test('writes amounts, countries and times as EMV 3DS requires', () => {
  const address = { line1: 'Rua 1', city: 'Faro', state: 'PT-08', postal_code: '8000', country: 'PT' }
  const message = build(
    asked({
      amount: 500,
      currency: 'JPY',
      buyer: { ...asked().buyer, billing: { address }, shipping: { address } },
    }),
  )
  expect(message).toMatchObject({
    deviceChannel: '02',
    messageCategory: '01',
    threeDSCompInd: 'U',
    cardExpiryDate: '3003',
    cardholderName: 'Zoe Muller',
    purchaseAmount: '500',
    purchaseCurrency: '392',
    purchaseExponent: '0',
    purchaseDate: '20261121170509',
    billAddrCountry: '620',
    billAddrState: '08',
    shipAddrCountry: '620',
  })
  expect(violations(message)).toEqual([])
})

test.each([
  ['payment', 12_99, '01', '01'],
  ['card_on_file', 12_99, '01', '01'],
  ['recurring', 12_99, '01', '02'],
  ['installment', 12_99, '01', '03'],
  ['verification', 0, '02', '04'],
  ['card_on_file', 0, '02', '04'],
  ['recurring', 0, '02', '02'],
] as const)('%s over %i is of the category %s, for the reason %s', (reason, amount, category, indicator) => {
  const message = build(asked({ reason, amount }))
  expect(message).toMatchObject({ messageCategory: category, threeDSRequestorAuthenticationInd: indicator })
  const isPurchase = amount > 0 || reason === 'recurring'
  expect('purchaseAmount' in message).toBe(isPurchase)
  expect('recurringExpiry' in message).toBe(reason === 'recurring' || reason === 'installment')
  expect(violations(message)).toEqual([])
})

describe('the browser’s members', () => {
  test.each([
    ['2.1.0', undefined, '24'],
    ['2.2.0', true, '24'],
    ['2.3.1', true, '30'],
  ] as const)('in %s', (version, scripts, depth) => {
    const message = build(asked({ browser }), version)
    expect(message['browserJavascriptEnabled']).toBe(scripts)
    expect(message).toMatchObject({
      browserColorDepth: depth,
      browserLanguage: 'zh-Hant',
      browserTZ: '-330',
      browserScreenWidth: '1920',
    })
    expect(violations(message)).toEqual([])
  })

  test('have no measurements without scripts, except in 2.1.0, which requires them', () => {
    const withoutScripts = asked({ browser: { ...browser, javascript_enabled: false } })
    expect(build(withoutScripts, '2.2.0')).not.toHaveProperty('browserScreenHeight')
    expect(build(withoutScripts, '2.1.0')).toHaveProperty('browserScreenHeight', '1080')
  })

  test('are absent if the merchant sent no browser', () => {
    expect(Object.keys(build(asked())).filter((name) => name.startsWith('browser'))).toEqual([])
  })
})

test('the message matches the contract for any buyer and browser', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('', '\0', '\ud800', '😀'.repeat(60), 'US-CA'),
  )
  const maybe = fc.option(text)
  const address = fc.record({
    line1: maybe,
    line2: maybe,
    city: maybe,
    state: maybe,
    postal_code: maybe,
    country: fc.constantFrom('US', 'DE', 'ZZ', null),
  })
  const party = fc.option(fc.record({ address: fc.option(address) }))
  const buyer = fc.record({ name: maybe, email: maybe, billing: party, shipping: party })
  const seen = fc.record({
    javascript_enabled: fc.boolean(),
    java_enabled: fc.boolean(),
    language: fc.oneof(text, fc.constantFrom('en-US', 'de')),
    color_depth: fc.integer(),
    screen_height: fc.integer(),
    screen_width: fc.integer(),
    time_zone_offset: fc.integer({ min: -840, max: 840 }),
    user_agent: text,
    accept_header: maybe,
    ip_address: maybe,
  })
  fc.assert(
    fc.property(buyer, fc.option(seen), fc.constantFrom(...versions), (anyBuyer, page, version) => {
      const message = build(asked({ buyer: anyBuyer, browser: page }), version)
      expect(violations(message)).toEqual([])
      expect(JSON.stringify(message).isWellFormed()).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('recorded messages have neither the card number nor the proof', () => {
  const request = asked(simulate('Y'), '4111111111101203')
  const recorded = JSON.stringify(
    redactor(undefined)([
      build(request),
      { authenticationValue: 'AAABBEg0VhI0VniQEjRWAAAAAAA=', cavv: 'AAABBEg0VhI0VniQEjRWAAAAAAA=' },
    ]),
  )
  expect(recorded).toContain('411111******1203')
  expect(recorded).not.toMatch(/4111111111101203|AAABBEg0/)
})
