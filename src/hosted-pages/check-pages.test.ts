import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startRailyardForFile } from '../../test/support/start-railyard.ts'
import { findChanges, startPageChecks } from './check-pages.ts'

const railyard = await startRailyardForFile()
const { world } = railyard

interface Received {
  status: number
  headers: Headers
  text: string
}

/** A proxy in front of the instance, as buyers reach it, that may change what it hands on. */
let change = (answer: Received): Received => answer
const proxy = createServer(async (request, response) => {
  const upstream = await fetch(`${world.publicUrl}${request.url}`, {
    headers: { 'accept-language': String(request.headers['accept-language']) },
  })
  const { status, headers, text } = change({
    status: upstream.status,
    headers: new Headers(upstream.headers),
    text: await upstream.text(),
  })
  for (const name of ['content-length', 'transfer-encoding', 'connection']) headers.delete(name)
  response.writeHead(status, Object.fromEntries(headers)).end(text)
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
afterAll(() => proxy.close())

/** The instance as its buyers see it. The links in the pages stay those of the instance. */
const behindProxy = {
  ...world,
  merchantHttp: {
    ...world.merchantHttp,
    request: (url: string, request: Parameters<typeof world.merchantHttp.request>[1]) =>
      world.merchantHttp.request(
        url.replace(world.publicUrl, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`),
        request,
      ),
  },
}
const changes = (changed: typeof change) => {
  change = changed
  return findChanges(behindProxy)
}

test('a page that reaches browsers as it was sent has no changes', async () => {
  expect(await findChanges(world)).toEqual([])
  expect(await changes((answer) => answer)).toEqual([])
})

test('a script that a proxy puts into the page, and a policy that it removes or loosens, are found', async () => {
  const planted = '<script src="https://evil.example/skimmer.js"></script></body>'
  expect(await changes((answer) => ({ ...answer, text: answer.text.replace('</body>', planted) }))).toEqual([
    'document',
  ])
  expect(
    await changes((answer) => {
      answer.headers.delete('content-security-policy')
      return answer
    }),
  ).toEqual(['content-security-policy'])
  expect(
    await changes((answer) => {
      answer.headers.set('content-security-policy', "script-src 'self' https://evil.example")
      return answer
    }),
  ).toEqual(['content-security-policy'])
})

test('another page with another status is found', async () => {
  const text = '<form action="https://evil.example">'
  expect(await changes((answer) => ({ ...answer, status: 200, text }))).toEqual(['status', 'document'])
})

test('an answer of a proxy that reaches no process is no change', async () => {
  expect(await changes((answer) => ({ ...answer, status: 502, text: 'Bad gateway' }))).toBeUndefined()
  expect(await changes((answer) => ({ ...answer, status: 429, text: 'Slow down' }))).toBeUndefined()
  const unreachable = { ...world, publicUrl: 'http://127.0.0.1:1' }
  expect(await findChanges(unreachable)).toBeUndefined()
})

test('a change opens an incident of `default` when two checks in a row find it', async () => {
  change = (answer) => ({ ...answer, text: `${answer.text}<!-- -->` })
  const incidents = async () => (await railyard.admin.get('/hosted-pages/incidents')).body.items
  const checks = startPageChecks(behindProxy)
  await checks.runOnce()
  expect(await incidents()).toEqual([])
  await checks.runOnce()
  expect(await incidents()).toMatchObject([{ page: 'payment-link', kind: 'changed', subject: 'document' }])
  await checks.stop()
})
