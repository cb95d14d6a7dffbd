import { afterAll, expect, test } from 'vitest'
import { exchanger } from '../../../test/fuzz/exchange.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'

const railyard = await startRailyardForFile()
const connection = exchanger(railyard.url, 1)
afterAll(async () => {
  connection.close()
})

const page = '/sandbox/providers/wallet/service/checkout'

test.each([
  `${page}/../../../books`,
  `${page}/..%2f..%2f..%2fbooks`,
  `${page}/%2e%2e/%2e%2e/%2E%2E/books`,
  `${page}/.%2e/../..//../books`,
  `${page}\\..\\..\\..\\books`,
  '/sandbox/providers/books',
  '/sandbox/providers/../books',
  '/sandbox%2Fproviders/books',
  '/%73andbox/providers/books',
  '/sandbox/providers//127.0.0.1/books',
  '/sandbox/providers/?/wallet/service/checkout',
])('a browser reaches only the pages of the sandbox’s providers: not %s', async (path) => {
  for (const method of ['GET', 'POST']) {
    const { status, text } = await connection.exchange({ method, path, headers: {}, body: undefined })
    expect([404, 405]).toContain(status)
    expect(text).not.toContain('operations')
  }
})

test('a page of the sandbox’s providers is proxied to them', async () => {
  const { text } = await connection.exchange({
    method: 'GET',
    path: `${page}/unknown-order`,
    headers: {},
    body: undefined,
  })
  expect(text).not.toContain('There is no such path')
})
