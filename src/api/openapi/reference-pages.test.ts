import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { referencePages } from './reference-pages.ts'

test('without installed pages, /docs redirects to the API document', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  referencePages(app, async () => undefined)
  for (const url of ['/docs', '/docs/', '/docs/js/scalar.js']) {
    const { statusCode, headers } = await app.inject(url)
    expect({ statusCode, location: headers.location }).toEqual({ statusCode: 302, location: '/openapi.json' })
  }
})

test('a script is not found under another spelling, which would be kept as another copy', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  const pages = Fastify()
  pages.get('/docs/js/scalar.js', async () => 'script')
  referencePages(app, async () => pages)
  expect((await app.inject('/docs/js/scalar.js')).body).toBe('script')
  expect((await app.inject('/docs/js/%73calar.js')).statusCode).toBe(404)
})

test('docs/guides/deploy.md has the command that installs the pages, with the tested version', () => {
  const { devDependencies, peerDependencies } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  const name = '@scalar/fastify-api-reference'
  expect(peerDependencies[name]).toBe(devDependencies[name])
  expect(readFileSync(new URL('../../../docs/guides/deploy.md', import.meta.url), 'utf8')).toContain(
    `npm install ${name}@${peerDependencies[name]}`,
  )
})
