import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addGiftCardService, newGiftCard } from '../../test/gift-cards.ts'
import { type Answer, card, startTestRailyard, type TestRailyard } from '../../test/railyard.ts'
import { mutated, type Operation, operationsOf, shaped } from '../../test/requests.ts'

const REQUESTS = 3_200
const AT_ONCE = 4

let railyard: TestRailyard
beforeAll(async () => {
  railyard = await startTestRailyard()
})
afterAll(() => railyard.close())

interface Request {
  operation: Operation
  path: string
  headers: Record<string, string>
  body: string | undefined
}

const text = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value))
const queryText = (value: unknown) => encodeURIComponent(text(value))
const headerText = (value: unknown) =>
  text(value)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()
    .slice(0, 2_000)

/** Requests to an operation as its schema has them, of which most then have something broken. */
function requestsTo(operation: Operation, of: ReturnType<typeof shaped>, token: string, account: string): fc.Arbitrary<Request> {
  const parameters = operation.parameters.map(({ name, schema, required = false, in: place }) =>
    fc.record({
      name: fc.constant(name),
      place: fc.constant(place),
      value: fc.oneof({ weight: 4, arbitrary: of(schema, name) }, { weight: 1, arbitrary: fc.nat(10_000).map((turn) => mutated(null, [turn])) }),
      present: required || place === 'path' ? fc.constant(true) : fc.integer({ min: 0, max: operation.parameters.length }).map((odds) => odds < 3),
    }),
  )
  const choices = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 5 })
  const body = operation.body
    ? fc.tuple(of(operation.body, ''), choices, fc.nat(9)).map(([value, places, odds]) => JSON.stringify(odds < 7 ? mutated(value, places) : value))
    : fc.constant(undefined)
  return fc.tuple(fc.tuple(...parameters), body).map(([given, sent]) => {
    const present = given.filter(({ present }) => present)
    const inPlace = (place: string) => present.filter((each) => each.place === place)
    const path = inPlace('path').reduce((url, { name, value }) => url.replace(`{${name}}`, queryText(value) || '%20'), operation.path)
    const query = inPlace('query').flatMap(({ name, value }) => [value].flat().map((each) => `${name}=${queryText(each)}`))
    const headers = Object.fromEntries(inPlace('header').map(({ name, value }) => [name, headerText(value)]))
    return {
      operation,
      path: `${path}?${query.join('&')}`,
      headers: {
        ...headers,
        'x-svc-merchant-account-id': account,
        authorization: `Bearer ${token}`,
        ...(sent !== undefined && { 'content-type': 'application/json' }),
      },
      body: sent,
    }
  })
}

const envelope = { type: 'error', code: expect.any(String), message: expect.any(String), details: expect.any(Array) }
const problem = expect.objectContaining({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) })

/** What is wrong with an answer; undefined: nothing. */
function complaint(
  { operation }: Request,
  { status, body }: Answer,
  took: number,
  isDocumented: (operation: Operation, answer: Answer) => boolean,
): string | undefined {
  if (status >= 500) return 'a server error'
  if (took > 10_000) return `took ${Math.round(took)} ms`
  if (status < 400)
    return isDocumented(operation, { status, body, headers: new Headers() }) ? undefined : 'an answer that the API document does not describe'
  try {
    if (status === 422) expect(body).toEqual({ detail: expect.arrayContaining([problem]) })
    else expect(body).toMatchObject({ ...envelope, status })
  } catch {
    return 'an error without the right body'
  }
  return undefined
}

test(`${REQUESTS} requests to all operations, most of them broken: never a server error, never a hang, always the right body`, async () => {
  const { body: document } = await railyard.send('GET', '/openapi.json')
  const merchant = await railyard.merchant()
  const transaction = await merchant.post('/transactions', { amount: 10_00, currency: 'USD', payment_method: card, intent: 'capture' })
  const refund = await merchant.post(`/transactions/${transaction.body.id}/refunds`, { amount: 1 })
  const session = await merchant.post('/checkout/sessions', {})
  const buyer = await merchant.post('/buyers', {})
  const shipping = await merchant.post(`/buyers/${buyer.body.id}/shipping-details`, {})
  const link = await merchant.post('/payment-links', { amount: 10_00, currency: 'USD', country: 'US' })
  const known = {
    payment_link_id: link.body.id,
    session_id: session.body.id,
    transaction_id: transaction.body.id,
    refund_id: refund.body.id,
    payment_service_id: merchant.paymentServiceId,
    merchant_account_id: merchant.account,
    payment_service_definition_id: 'mock-card',
    payment_method: card,
    currency: 'USD',
    country: 'US',
  }
  const of = shaped(document, known)
  const service = await addGiftCardService(railyard, merchant)
  const giftCard = await merchant.post('/gift-cards', { ...newGiftCard(), buyer_id: buyer.body.id })
  // a DELETE asks for a buyer that nobody has, so that the others find theirs
  const ofBuyers = shaped(document, { ...known, buyer_id: buyer.body.id, shipping_details_id: shipping.body.id })
  const ofGiftCards = shaped(document, {
    ...known,
    ...newGiftCard(),
    buyer_id: buyer.body.id,
    gift_card_id: giftCard.body.id,
    gift_card_service_id: service,
    gift_card_service_definition_id: 'mock-gift-card',
  })
  const subscription = await merchant.post('/webhook-subscriptions', { url: 'https://shop.example/hook' })
  const ofSubscriptions = shaped(document, { ...known, subscription_id: subscription.body.id, url: subscription.body.url })
  const valuesOf = ({ method, path }: Operation) => {
    if (method === 'DELETE') return of
    if (path.startsWith('/webhook-subscriptions')) return ofSubscriptions
    return path.startsWith('/gift-card') ? ofGiftCards : path.startsWith('/buyers/{') ? ofBuyers : of
  }
  // faults are for the tests of faults: a provider that never answers would make every payment here wait for it; ten years of an account's jobs would do so, too
  const operations = operationsOf(document).filter(({ id }) => id !== 'set_sandbox_faults' && id !== 'advance_sandbox_clock')
  const each = Math.ceil(REQUESTS / operations.length)
  const requests = operations.flatMap((operation, index) =>
    fc.sample(requestsTo(operation, valuesOf(operation), merchant.token, merchant.account), {
      numRuns: operation.id === 'create_transaction' ? 5 * each : each,
      seed: 1_000 + index,
    }),
  )
  expect(requests.length).toBeGreaterThanOrEqual(REQUESTS)

  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: 'api', ...document })
  const isDocumented = ({ method, path }: Operation, { status, body }: Answer) => {
    const at = ['paths', path, method.toLowerCase(), 'responses', String(status)].map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
    const answer = document.paths[path][method.toLowerCase()].responses[status]
    if (!answer) return false
    if (!answer.content || body === undefined) return true
    return ajv.validate({ $ref: `api#/${[...at, 'content', 'application~1json', 'schema'].map(encodeURIComponent).join('/')}` }, body)
  }

  const complaints: unknown[] = []
  const statuses: Record<string, number> = {}
  const queue = requests.toSorted((a, b) => a.path.length - b.path.length)
  const work = async () => {
    for (let request = queue.pop(); request; request = queue.pop()) {
      const { operation, path, headers, body } = request
      const started = performance.now()
      const answer = await railyard.send(operation.method, path, {
        headers,
        // fetch sends none with GET
        ...(body !== undefined && operation.method !== 'GET' && { body }),
      })
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      const wrong = complaint(request, answer, performance.now() - started, isDocumented)
      if (wrong)
        complaints.push({
          wrong,
          request: `${operation.method} ${path}`.slice(0, 500),
          body: body?.slice(0, 2_000),
          answer: { status: answer.status, body: answer.body },
        })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))

  expect(complaints.slice(0, 10)).toEqual([])
  // the generator reaches beyond the front door
  for (const status of [200, 201, 400, 404, 422]) expect(statuses[status] ?? 0, `answers with ${status}`).toBeGreaterThan(0)
  expect(await railyard.send('GET', '/health/ready')).toMatchObject({ status: 200 })
}, 180_000)
