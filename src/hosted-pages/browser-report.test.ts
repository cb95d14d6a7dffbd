import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cspReport } from '../../test/support/domains/hosted-pages.ts'
import { readBrowserReports } from './browser-report.ts'

const read = (...reports: object[]) => readBrowserReports(reports)

test('a blocked script, connection, form and frame are told apart by the directive', () => {
  expect(
    read(
      cspReport('script-src-elem', 'https://evil.example/skimmer.js'),
      cspReport('script-src-attr', 'inline'),
      cspReport('connect-src', 'wss://evil.example:8443/out?number=1'),
      cspReport('form-action', 'http://evil.example/form'),
      cspReport('frame-ancestors', 'https://frame.example/'),
      cspReport('style-src-elem', 'data'),
    ),
  ).toEqual([
    { kind: 'script', subject: 'https://evil.example' },
    { kind: 'script', subject: 'inline' },
    { kind: 'connection', subject: 'wss://evil.example:8443' },
    { kind: 'form', subject: 'http://evil.example' },
    { kind: 'embedding', subject: 'https://frame.example' },
    { kind: 'style', subject: 'data' },
  ])
})

test('a report of CSP Level 2 names the directive with its values', () => {
  expect(
    readBrowserReports({
      'csp-report': {
        'violated-directive': "script-src 'sha256-x'",
        'blocked-uri': 'https://evil.example/a.js',
        'document-uri': 'https://pay.example/pay/secret',
      },
    }),
  ).toEqual([{ kind: 'script', subject: 'https://evil.example' }])
})

test('a script whose integrity is wrong is reported by its origin', () => {
  const report = {
    type: 'integrity-violation',
    body: { blockedURL: 'https://pay.example/elements/a.js', destination: 'script' },
  }
  expect(read(report)).toEqual([{ kind: 'integrity', subject: 'https://pay.example' }])
})

test('what an extension of the browser does is left out', () => {
  for (const scheme of ['chrome-extension', 'moz-extension', 'safari-web-extension'])
    expect(
      read(
        cspReport('script-src-elem', scheme),
        cspReport('script-src-elem', `${scheme}://abc/content.js`),
        cspReport('style-src-elem', 'inline', { sourceFile: `${scheme}://abc/content.js` }),
      ),
    ).toEqual([])
})

test('reports of other types and unknown directives are left out', () => {
  expect(
    read(
      { type: 'deprecation', body: { id: 'x' } },
      cspReport('upgrade-insecure-requests', 'https://a.example/'),
      cspReport('constructor', 'https://a.example/'),
      { type: 'csp-violation' },
    ),
  ).toEqual([])
})

test('a body that is no report is told apart', () => {
  for (const body of [null, 1, 'text', {}, { 'csp-report': null }])
    expect(readBrowserReports(body)).toBeUndefined()
})

test('any JSON is read without an error, and a subject is a keyword or an origin without a path', () => {
  const urls = fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string())
  const reports = fc.array(
    fc.oneof(
      fc.jsonValue(),
      fc.record({
        type: fc.constantFrom('csp-violation', 'integrity-violation'),
        body: fc.record({
          effectiveDirective: fc.constantFrom('script-src', 'connect-src', 'x'),
          blockedURL: urls,
        }),
      }),
    ),
  )
  fc.assert(
    fc.property(reports, (body) => {
      for (const { subject } of readBrowserReports(body) ?? [])
        expect(subject).toMatch(/^(?:(?:https?|wss?):\/\/[^/?#\s]+|[a-z-]+)$/)
    }),
  )
})
