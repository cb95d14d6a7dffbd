import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { referencePages } from './reference.ts'

test('where the pages are not installed, whoever looks is sent to the document', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  referencePages(app, async () => undefined)
  for (const url of ['/docs', '/docs/', '/docs/js/scalar.js']) {
    const { statusCode, headers } = await app.inject(url)
    expect({ statusCode, location: headers.location }).toEqual({ statusCode: 302, location: '/openapi.json' })
  }
})
