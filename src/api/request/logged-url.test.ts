import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { exchanger } from '../../../test/fuzz/exchange.ts'
import { spellingsOf } from '../../../test/support/checks/spellings.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { buildServer } from '../../process/server.ts'

const railyard = await startRailyardForFile()
const connection = exchanger(railyard.url, 1)
afterAll(async () => {
  connection.close()
})

/** The lines that are logged while a request with exactly this path is answered. */
async function loggedFor(method: string, path: string): Promise<string[]> {
  const before = railyard.logged.length
  await connection.exchange({
    method,
    path,
    headers: { authorization: `Bearer ${railyard.admin.token}` },
    body: undefined,
  })
  return railyard.logged.slice(before)
}

const SECRET = 'sEcReT_canary-4xq'
const ID = '01995012-1234-7123-8123-abcdefabcdef'

const secretPaths: [method: string, path: string][] = [
  ['GET', `/pay/${SECRET}`],
  ['GET', `/pay/${SECRET}/status`],
  ['POST', `/pay/${SECRET}/payments`],
  ['PUT', `/pay/${SECRET}/payments`],
  ['GET', `/invitations/${SECRET}`],
  ['GET', `/sign-in/${SECRET}`],
  ['PUT', `/sign-in/${SECRET}`],
  ['POST', `/notifications/default/${ID}/${SECRET}`],
  ['POST', `/notifications/network-tokens/default/${ID}/${SECRET}`],
  ['POST', `/anti-fraud-notifications/default/${ID}/${SECRET}`],
  ['POST', `/browser-reports/default/payment-link/${SECRET}`],
  ['GET', `/approvals/default/${ID}/${SECRET}/approved`],
  ['GET', `/approvals/default/${ID}/${SECRET}/authenticated`],
]

test('every path parameter is in this list, and was reviewed as a credential or not one', async () => {
  const server = await buildServer(railyard.world, railyard.simulatorUrl)
  const named = new Set(
    [...server.printRoutes({ commonPrefix: false }).matchAll(/:(\w+)/g)].map(([, name = '']) => name),
  )
  expect([...named].filter((name) => !name.endsWith('_id')).sort()).toEqual([
    'file',
    'flow',
    'metric',
    'module',
    'page',
    'proof',
    'result',
    'source',
    'token',
  ])
})

test.each(secretPaths)(
  'the log does not show the credential of %s %s, however the path is spelled',
  async (method, path) => {
    const before = railyard.logged.length
    await loggedFor(method, path)
    // the line is written after the answer
    await expect.poll(() => railyard.logged.slice(before).join('')).toMatch(/"url":"\/[^"]*\*\*\*/)
    await fc.assert(
      fc.asyncProperty(spellingsOf(path), async (spelled) => {
        const lines = (await loggedFor(method, spelled)).join('')
        for (const written of [lines, decoded(lines), decoded(decoded(lines))])
          expect(written.toLowerCase()).not.toContain(SECRET.toLowerCase())
      }),
      { numRuns: 40 },
    )
  },
)

test.each([
  `/approvals/default/${ID}%2F${SECRET}/x/approved`,
  `/anti-fraud-notifications/default/${ID}%2f${SECRET}/`,
  `/notifications/default%252f${SECRET}/${ID}/x`,
  `/approvals/default%2f${ID}/${SECRET}/authenticated//`,
  `/approvals//default/${ID}/${SECRET}`,
])('the log does not show a credential in the place of an id, as in %s', async (path) => {
  const before = railyard.logged.length
  await loggedFor('POST', path)
  await expect.poll(() => railyard.logged.slice(before).join('')).toContain('"url":')
  expect(railyard.logged.slice(before).join('').toLowerCase()).not.toContain(SECRET.toLowerCase())
})

test('the log shows an operation in one form, however its path is spelled', async () => {
  for (const spelled of [
    `/transactions/${ID}`,
    `/transaction%73/${ID.toUpperCase()}/`,
    `http://shop.example/transactions/${ID}`,
  ])
    expect((await loggedFor('GET', spelled)).join('')).toContain(`"url":"/transactions/${ID}"`)
})

test('a card number in the place of an id does not reach the log, however it is spelled', async () => {
  for (const spelled of [
    '/transactions/4111111111111111',
    '/transactions/41111%311111111111',
    '/merchant-accounts/4111%2D1111%2d1111%2D1111',
    '/x/41111%25311111111111',
  ])
    expect(decoded(decoded((await loggedFor('GET', spelled)).join('')))).not.toMatch(/4111/)
})

function decoded(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
  )
}
