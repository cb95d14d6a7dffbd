import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { cartOf, checkoutsPath } from '../../../test/support/domains/agentic-commerce.ts'
import { delegatePaymentPath, delegationOf } from '../../../test/support/domains/delegated-payments.ts'
import { startRailyardForFile } from '../../../test/support/start-railyard.ts'
import { canonicalJson } from '../../api/values/canonical-json.ts'

const [edwards, elliptic, stranger] = [
  generateKeyPairSync('ed25519'),
  generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  generateKeyPairSync('ed25519'),
]
const keys = [edwards, elliptic].map(({ publicKey }) => publicKey.export({ format: 'jwk' }))
const railyard = await startRailyardForFile({ AGENTIC_COMMERCE_KEYS: JSON.stringify({ keys }) })
const merchant = await railyard.merchant()

const signatureOf = (key: KeyObject, text: string) =>
  (key.asymmetricKeyType === 'ed25519'
    ? sign(null, Buffer.from(text), key)
    : sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  ).toString('base64url')

/** The headers and the body of a signed request, `minutes` from now. */
function signed(key: KeyObject, minutes = 0, path = delegatePaymentPath) {
  const body = delegationOf(merchant.account, railyard.clock.now())
  const timestamp = new Date(railyard.world.machineClock.now() + minutes * 60_000).toISOString()
  const idempotencyKey = randomUUID()
  const headers: Record<string, string> = {
    'api-version': '2026-04-17',
    'idempotency-key': idempotencyKey,
    timestamp,
    signature: signatureOf(key, `${timestamp}.${idempotencyKey}.POST ${path}.${canonicalJson(body)}`),
  }
  return { headers, body }
}

type Signed = ReturnType<typeof signed>
const send = ({ headers, body }: Signed) => merchant.post(delegatePaymentPath, body, headers)

test.each([
  { name: 'Ed25519', pair: edwards },
  { name: 'ES256', pair: elliptic },
])(
  'a request that a platform has signed with $name makes a token, in any order of its members',
  async ({ pair }) => {
    const { headers, body } = signed(pair.privateKey)
    const reversed = Object.fromEntries(Object.entries(body).reverse())
    expect(await send({ headers, body: reversed })).toMatchObject({ status: 201 })
  },
)

test('a request that somebody sends again makes no second token', async () => {
  const request = signed(edwards.privateKey)
  const first = await send(request)
  expect(await send(request)).toMatchObject({ status: 201, body: { id: first.body.id } })
  expect(
    await send({ ...request, headers: { ...request.headers, 'idempotency-key': randomUUID() } }),
  ).toMatchObject({ status: 401 })
})

const without = (name: string) => (request: Signed) => {
  delete request.headers[name]
}

test.each<{ name: string; change: (request: Signed) => void }>([
  { name: 'no signature', change: without('signature') },
  { name: 'no timestamp', change: without('timestamp') },
  {
    name: 'another amount',
    change: ({ body }) => Object.assign(body['allowance'] as object, { max_amount: 99_00 }),
  },
  { name: 'a member more', change: ({ body }) => Object.assign(body, { extra: 1 }) },
  {
    name: 'another time',
    change: ({ headers }) => Object.assign(headers, { timestamp: new Date().toISOString() }),
  },
  { name: 'an empty signature', change: ({ headers }) => Object.assign(headers, { signature: '-' }) },
  {
    name: 'padding after the signature',
    change: ({ headers }) => Object.assign(headers, { signature: `${headers['signature']}==` }),
  },
  {
    name: 'the signature of another operation',
    change: (request) => Object.assign(request, signed(edwards.privateKey, 0, checkoutsPath)),
  },
  {
    name: 'the signature of a stranger',
    change: (request) => Object.assign(request, signed(stranger.privateKey)),
  },
])('a request with $name is a 401', async ({ change }) => {
  const request = signed(edwards.privateKey, 1)
  change(request)
  expect(await send(request)).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
})

test('a request that was signed more than five minutes ago is refused', async () => {
  expect(await send(signed(edwards.privateKey, -6))).toMatchObject({ status: 400 })
  expect(await send(signed(edwards.privateKey, 6))).toMatchObject({ status: 400 })
})

test('checkout sessions of a platform must be signed, too', async () => {
  const { headers } = signed(stranger.privateKey, 0, checkoutsPath)
  expect(await merchant.post(checkoutsPath, cartOf(), headers)).toMatchObject({ status: 401 })
  expect(await merchant.get(`${checkoutsPath}/${randomUUID()}`, headers)).toMatchObject({ status: 401 })
})
