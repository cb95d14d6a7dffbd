import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { schemesOfScript } from './card-schemes.ts'
import { holdCard } from './script/card-holder.js'
import type { FrameConfig } from './script/frame.js'
import { passTokens } from './script/provider-token.js'

// What the modules of the frames do with messages of any form. The browser's part is in
// `test/browser/elements-hostile.test.ts`

const session = '018f0000-0000-7000-8000-000000000000'
const config: FrameConfig = {
  view: 'card',
  parent: 'https://shop.example',
  session,
  api: 'https://fields.example',
  fields: ['number', 'expiry', 'code'],
  schemes: schemesOfScript,
  mistakes: {},
  hints: { codeHint: '', codeHintAmex: '' },
  provider: null,
  refusal: null,
}

/** A word that the frame knows, or any value. */
const value = fc.oneof(
  fc.constantFrom('number', 'code', session, '__proto__', 'constructor', 'pm_1', '4242', '03/31'),
  fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }),
)
/** What a channel can bring: any object, often with members that the frame reads. */
const message = fc
  .record(
    {
      kind: fc.oneof(fc.constantFrom('submit', 'clear', 'session', 'token', 'change'), value),
      id: value,
      session: value,
      token: value,
      field: value,
      bin: value,
      card_suffix: value,
      card_scheme: value,
      expiration_date: value,
      ['__proto__']: value,
      constructor: value,
    },
    { requiredKeys: [] },
  )
  .map((members) => members as Record<string, unknown>)

/** Collects requests, and answers them like Railyard. */
function recordRequests() {
  const requests: { url: string; body: string }[] = []
  vi.stubGlobal('fetch', async (url: string, { body }: { body: string }) => {
    requests.push({ url, body })
    return { ok: true, status: 204 }
  })
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  return requests
}

/** One session's fields: no path that a message has chosen. */
const fieldsUrl = /^https:\/\/fields\.example\/checkout\/sessions\/[0-9a-f-]{36}\/fields$/i

test('the holder of a card answers messages of any form with what a page may know, and sends the card to a session only', async () => {
  const requests = recordRequests()
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 20 }), async (messages) => {
      const told: object[] = []
      const holder = holdCard(
        config,
        () => undefined,
        (each) => told.push(each),
      )
      for (const [field, text] of [
        ['number', '5105105105105100'],
        ['expiry', '11 / 37'],
        ['code', '826'],
      ])
        holder.set(field, text)
      for (const each of messages) {
        holder.hearPage(each)
        holder.set(each['field'], each['token'])
      }
      await new Promise((resolve) => setImmediate(resolve))
      for (const each of told) {
        const { id: _, ...own } = each as Record<string, unknown>
        expect(['change', 'failed', 'submitted']).toContain(own['kind'])
        expect(JSON.stringify(own)).not.toMatch(/510510|826|11 ?\/ ?37/)
      }
    }),
    { numRuns: 500 },
  )
  expect(requests.length).toBeGreaterThan(10)
  for (const { url } of requests) expect(url).toMatch(fieldsUrl)
})

test('the frame that passes tokens takes messages of any form, and sends tokens in the API’s form to a session only', async () => {
  const requests = recordRequests()
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 20 }), async (messages) => {
      const told: object[] = []
      const passer = passTokens(config, (each) => told.push(each))
      for (const each of messages) passer.hearPage(each)
      await new Promise((resolve) => setImmediate(resolve))
      expect(told).toHaveLength(messages.filter(({ kind }) => kind === 'token').length)
    }),
    { numRuns: 500 },
  )
  expect(requests.length).toBeGreaterThan(10)
  for (const { url, body } of requests) {
    expect(url).toMatch(fieldsUrl)
    const { payment_method, ...others } = JSON.parse(body)
    expect(others).toEqual({})
    expect(payment_method.method).toBe('provider-token')
    for (const name of Object.keys(payment_method))
      expect(['method', 'token', 'bin', 'card_suffix', 'card_scheme', 'expiration_date']).toContain(name)
  }
})
