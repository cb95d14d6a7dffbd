import { describe, expect, it } from 'vitest'
import {
  acquirer,
  answerWithoutReturn,
  authenticatedPayment,
  challenge,
  openSecureShop,
  path,
  requireAuthentication,
  returnToMerchant,
  scenario,
} from '../../../test/support/domains/secure-shop.ts'
import { bookDifferences, booksOf, injectFaults, recoverFully } from '../../../test/support/provider.ts'
import { startTestRailyard } from '../../../test/support/railyard.ts'
import { addService } from '../../../test/support/shop.ts'
import { testCards } from '../../sandbox/providers/three-d-secure/outcome.ts'

const railyard = await startTestRailyard()
const shop = await openSecureShop(railyard)

const complete = { status: 'complete', error_data: null }

// semantics §7.2
describe('without a challenge, the issuer’s status', () => {
  it.each([
    ['Y', 'Y', '05'],
    ['A', 'A', '06'],
  ])('%s: the payment is authorized with the proof', async (status, directory_response, eci) => {
    const amount = status === 'Y' ? 7001 : 7002
    await scenario(railyard, shop, amount, status)
    const { body } = await shop.pay(amount, authenticatedPayment())
    expect(body).toMatchObject({
      status: 'authorization_succeeded',
      three_d_secure: {
        ...complete,
        method: 'frictionless',
        version: '2.2.0',
        response_data: { directory_response, eci, cavv: expect.any(String) },
      },
    })
    const { body: events } = await shop.get(`/transactions/${body.id}/events`)
    const success = events.items.find(({ name }: { name: string }) => name === 'three-d-secure-success')
    expect(success).toMatchObject({ context: { eci, liability: 'issuer' } })
  })

  it.each(['N', 'R', 'U'])('%s: the payment fails, and no payment service gets it', async (status) => {
    const amount = 7010 + status.charCodeAt(0)
    await scenario(railyard, shop, amount, status)
    const { body } = await shop.pay(amount, authenticatedPayment())
    expect(body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'failed_buyer_approval',
      payment_service_transaction_id: null,
      three_d_secure: { status: 'declined', response_data: null, error_data: null },
    })
  })

  it('missing, because the 3DS server does not answer: the payment fails, and the transaction says where', async () => {
    const hasty = await startTestRailyard({ PROVIDER_TIMEOUT_MS: '300' })
    const other = await openSecureShop(hasty)
    await scenario(hasty, other, 7200, 'timeout')
    const { body } = await other.pay(7200, authenticatedPayment())
    expect(body).toMatchObject({
      status: 'authorization_failed',
      error_code: 'service_network_error',
      three_d_secure: { status: 'error', response_data: null, error_data: { component: expect.any(String) } },
    })
    expect(await other.payment(body.id).timeline()).toContain('three-d-secure-request-error')
  })

  it('of a card that is not enrolled: the payment is authorized without a proof', async () => {
    const { body } = await shop.pay(1200, authenticatedPayment({ number: '9000100111111117' }))
    expect(body).toMatchObject({ status: 'authorization_succeeded', three_d_secure: null })
  })
})

// semantics §7.3
describe('without a scenario, the test card', () => {
  const testCard = (number: string) =>
    authenticatedPayment({
      number,
      expiration_date: '03/30',
      security_code: number.startsWith('34') ? '1000' : '100',
    })

  it.each(testCards.frictionless)('%s is authenticated without a challenge', async (number) => {
    expect((await shop.pay(1300, testCard(number))).body).toMatchObject({
      status: 'authorization_succeeded',
      three_d_secure: {
        ...complete,
        method: 'frictionless',
        response_data: { directory_response: 'Y', eci: number.startsWith('5') ? '02' : '05' },
      },
    })
  })

  it.each(testCards.challenge)('%s is challenged', async (number) => {
    const { body } = await shop.pay(1300, testCard(number))
    const back = await challenge(railyard, body.payment_method.approval_url)
    expect(back.searchParams.get('svc_transaction_status')).toBe('authorization_succeeded')
  })
})

describe('a challenge', () => {
  it.each(['2.1.0', '2.2.0', '2.3.1'])(
    'takes the cardholder to the issuer and back, and the payment continues, in version %s',
    async (version) => {
      const amount = 7300 + Number(version.replaceAll('.', ''))
      await scenario(railyard, shop, amount, 'C', 'Y', version)
      const { body: waiting } = await shop.pay(amount, { ...authenticatedPayment(), intent: 'capture' })
      expect(waiting).toMatchObject({
        status: 'buyer_approval_pending',
        payment_method: {
          method: 'card',
          approval_url: expect.stringContaining('/challenge'),
          approval_target: 'any',
        },
        approval_expires_at: expect.any(String),
        session_token: null,
        three_d_secure: null,
      })
      const back = await challenge(railyard, waiting.payment_method.approval_url)
      expect(back.origin + back.pathname).toBe('https://shop.example/done')
      expect(back.searchParams.get('svc_transaction_status')).toBe('capture_succeeded')
      const payment = shop.payment(waiting.id)
      expect(await payment.read()).toMatchObject({
        status: 'capture_succeeded',
        three_d_secure: {
          ...complete,
          method: 'challenge',
          version,
          response_data: {
            directory_response: 'C',
            authentication_response: 'Y',
            eci: '05',
            cavv: expect.any(String),
          },
        },
      })
      const steps = ['preparation-request', 'authentication-request', 'result-request', 'success'].map(
        (step) => `three-d-secure-${step}`,
      )
      expect((await payment.timeline()).filter((name) => name.startsWith('three-d-secure'))).toEqual(steps)
    },
  )

  it('that the cardholder declines fails the payment', async () => {
    await scenario(railyard, shop, 7401, 'C', 'N')
    const { body } = await shop.pay(7401, authenticatedPayment())
    const back = await challenge(railyard, body.payment_method.approval_url, 'decline')
    expect(back.searchParams.get('svc_transaction_status')).toBe('authorization_failed')
    expect(await shop.payment(body.id).read()).toMatchObject({
      error_code: 'failed_buyer_approval',
      three_d_secure: { status: 'declined', method: 'challenge', response_data: null, error_data: null },
    })
  })

  it('that the cardholder never answers fails the payment at its expiry', async () => {
    await scenario(railyard, shop, 7402, 'C', 'timeout')
    const { body } = await shop.pay(7402, authenticatedPayment())
    railyard.clock.advance(3_601_000)
    await recoverFully(railyard)
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'authorization_failed',
      error_code: 'incomplete_buyer_approval',
      three_d_secure: { status: 'cancelled', method: 'challenge' },
      buyer_approval_timedout_at: expect.any(String),
    })
    expect(await sealedCards(body.id)).toBe(0)
  })

  it('is not decided by a return without an answer, nor changed by a second return', async () => {
    await scenario(railyard, shop, 7403, 'C', 'Y')
    const { body } = await shop.pay(7403, authenticatedPayment())
    const returnLink = body.payment_method.approval_url.replace(/challenge$/, 'authenticated')
    expect(
      (await returnToMerchant(railyard, returnLink, 'forged')).searchParams.get('svc_transaction_status'),
    ).toBe('buyer_approval_pending')
    await challenge(railyard, body.payment_method.approval_url)
    const before = await shop.payment(body.id).read()
    expect(
      (await returnToMerchant(railyard, returnLink, 'again')).searchParams.get('svc_transaction_status'),
    ).toBe('authorization_succeeded')
    expect(await shop.payment(body.id).read()).toEqual(before)
    expect(
      (await railyard.send('GET', path(body.payment_method.approval_url), { redirect: 'manual' })).status,
    ).toBe(303)
  })

  it('has links with a token, and a guessed token is a 404', async () => {
    await scenario(railyard, shop, 7404, 'C', 'Y')
    const { body } = await shop.pay(7404, authenticatedPayment())
    const guessed = path(body.payment_method.approval_url).replace(/[^/]+\/challenge$/, 'AAAA/challenge')
    expect((await railyard.send('GET', guessed)).status).toBe(404)
    expect((await railyard.send('POST', guessed.replace('challenge', 'authenticated'))).status).toBe(404)
  })

  it('ends when the merchant cancels the payment', async () => {
    await scenario(railyard, shop, 7405, 'C', 'Y')
    const { body } = await shop.pay(7405, authenticatedPayment())
    expect((await shop.payment(body.id).cancel()).body).toMatchObject({ status: 'succeeded' })
    expect(await sealedCards(body.id)).toBe(0)
    const late = await railyard.send('GET', path(body.payment_method.approval_url), { redirect: 'manual' })
    expect(new URL(late.headers.get('location') ?? '').searchParams.get('svc_transaction_status')).toBe(
      'authorization_failed',
    )
    expect(await shop.payment(body.id).read()).toMatchObject({ error_code: 'canceled', authorized_amount: 0 })
  })

  it('keeps the card sealed until its one use', async () => {
    await scenario(railyard, shop, 7406, 'C', 'Y')
    const { body } = await shop.pay(7406, authenticatedPayment())
    expect(await sealedCards(body.id)).toBe(1)
    await challenge(railyard, body.payment_method.approval_url)
    expect(await sealedCards(body.id)).toBe(0)
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'authorization_succeeded',
      cvv_response_code: 'match',
    })
  })

  it('keeps the sealed card while the key service is away, and recovery continues the authenticated payment', async () => {
    await scenario(railyard, shop, 7407, 'C', 'Y')
    const { body } = await shop.pay(7407, authenticatedPayment())
    const { keys } = railyard.world
    railyard.world.keys = { ...keys, unwrap: () => Promise.reject(new Error('the key service is away')) }
    await answerWithoutReturn(railyard, body.payment_method.approval_url)
    expect((await shop.payment(body.id).sync()).status).toBe(500)
    railyard.world.keys = keys
    expect(await sealedCards(body.id)).toBe(1)
    await recoverFully(railyard)
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'authorization_succeeded',
      three_d_secure: complete,
    })
    expect(await bookDifferences(railyard, shop.account)).toEqual([])
  })

  it('whose answer is found after the card’s time fails the payment, and holds no card any more', async () => {
    await scenario(railyard, shop, 7413, 'C', 'Y')
    const { body } = await shop.pay(7413, authenticatedPayment())
    await answerWithoutReturn(railyard, body.payment_method.approval_url)
    // the challenge's hour, and five minutes for a cardholder who answers at the last moment
    railyard.clock.advance(3_901_000)
    await recoverFully(railyard)
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'authorization_failed',
      authorized_amount: 0,
    })
    expect(await sealedCards(body.id)).toBe(0)
    expect(await bookDifferences(railyard, shop.account)).toEqual([])
  })

  it('that the cardholder answers without returning is found by a sync', async () => {
    await scenario(railyard, shop, 7408, 'C', 'Y')
    const { body } = await shop.pay(7408, authenticatedPayment())
    await answerWithoutReturn(railyard, body.payment_method.approval_url)
    expect((await shop.payment(body.id).sync()).body).toMatchObject({ status: 'authorization_succeeded' })
  })

  it('may be followed by an authorization whose answer is lost, which recovery finds', async () => {
    await scenario(railyard, shop, 7409, 'C', 'Y')
    const { body } = await shop.pay(7409, authenticatedPayment())
    await injectFaults(railyard, {
      payment_service_id: shop.paymentServiceId,
      operation: 'authorize',
      kind: 'lost',
    })
    const back = await challenge(railyard, body.payment_method.approval_url)
    expect(back.searchParams.get('svc_transaction_status')).toBe('processing')
    await recoverFully(railyard)
    expect(await shop.payment(body.id).read()).toMatchObject({
      status: 'authorization_succeeded',
      authorized_amount: 7409,
    })
    expect(await bookDifferences(railyard, shop.account)).toEqual([])
  })
})

describe('the issuer does not authenticate', () => {
  it.each([
    [
      'a merchant-initiated payment',
      { merchant_initiated: true, payment_source: 'card_on_file', is_subsequent_payment: true },
    ],
    ['a payment by phone', { payment_source: 'moto' }],
  ])('%s', async (_name, terms) => {
    await scenario(railyard, shop, 7501, 'N')
    expect((await shop.pay(7501, { ...authenticatedPayment(), ...terms })).body).toMatchObject({
      status: 'authorization_succeeded',
      three_d_secure: null,
    })
  })

  it('a payment for which the merchant sends its own 3-D Secure data', async () => {
    await scenario(railyard, shop, 7502, 'N')
    const three_d_secure_data = {
      cavv: 'AAABBBCCCDDDEEEFFF',
      eci: '05',
      version: '2.2.0',
      directory_response: 'Y',
      directory_transaction_id: 'ds-1',
    }
    const { body } = await shop.pay(7502, { three_d_secure_data })
    expect(body).toMatchObject({
      status: 'authorization_succeeded',
      three_d_secure: { ...complete, response_data: { cavv: 'AAABBBCCCDDDEEEFFF' } },
    })
  })

  it('a card of a scheme without an acquirer profile, until the account configures one', async () => {
    const bare = await openSecureShop(railyard)
    const profile = { merchant_profile: { mastercard: acquirer } }
    await railyard.admin.put(`/payment-services/${bare.paymentServiceId}`, profile, {
      'x-svc-merchant-account-id': bare.account,
    })
    await scenario(railyard, bare, 7503, 'N')
    expect((await bare.pay(7503, authenticatedPayment())).body).toMatchObject({
      status: 'authorization_succeeded',
      three_d_secure: null,
    })
    const configuration = { ...acquirer, scheme: 'visa', metadata: {} }
    expect(
      (await railyard.admin.post(`/merchant-accounts/${bare.account}/three-ds-configurations`, configuration))
        .status,
    ).toBe(201)
    expect((await bare.pay(7503, authenticatedPayment())).body).toMatchObject({
      error_code: 'failed_buyer_approval',
    })
  })
})

it('a payment without a redirect_url fails when the issuer wants to authenticate', async () => {
  const { body } = await shop.pay(1200)
  expect(body).toMatchObject({
    status: 'authorization_failed',
    error_code: 'missing_redirect_url',
    payment_service_transaction_id: null,
  })
})

it('a payment that fails for lack of a redirect_url does not store its card', async () => {
  const { body } = await shop.pay(1200, { store: true })
  expect(body).toMatchObject({ error_code: 'missing_redirect_url', payment_method: { id: null } })
  const { method } = await railyard.world
    .run<{ method: object }>('select payment_method as method from transactions where id = $1', [body.id])
    .then(([row]) => row ?? { method: {} })
  expect(Object.keys(method)).not.toContain('provisional')
})

it('after a refusal the next payment service gets the same proof without a second authentication', async () => {
  const two = await openSecureShop(railyard)
  const second = await addService(railyard, two)
  await requireAuthentication(railyard, two, second)
  await scenario(railyard, two, 200012, 'C', 'Y')
  const { body } = await two.pay(200012, authenticatedPayment())
  await challenge(railyard, body.payment_method.approval_url)
  const payment = two.payment(body.id)
  expect(await payment.read()).toMatchObject({
    status: 'authorization_failed',
    error_code: 'issuer_decline',
    three_d_secure: complete,
  })
  const timeline = await payment.timeline()
  expect(timeline.filter((name) => name === 'three-d-secure-authentication-request')).toHaveLength(1)
  const payments = (await booksOf(railyard)).payments.filter(({ payment_service_id: id }) =>
    [two.paymentServiceId, second].includes(id),
  )
  expect(payments.map(({ three_d_secure: proof }) => proof?.authentication_response)).toEqual(['Y', 'Y'])
})

it('a payment that the issuer declines for lack of authentication is authenticated, although a rule skips 3-D Secure', async () => {
  const merchant = await openSecureShop(railyard)
  const rule = {
    display_name: 'Trusted',
    action: 'skip-3ds',
    condition: { field: 'currency', operator: 'is', value: 'EUR' },
    outcome: {},
  }
  expect((await merchant.post('/flows/card-transaction/rules', rule)).status).toBe(201)
  expect((await merchant.post('/flows/card-transaction/rules/publish', {})).status).toBe(200)
  const skipped = await merchant.pay(1200, authenticatedPayment())
  expect(skipped.body).toMatchObject({ status: 'authorization_succeeded', three_d_secure: null })
  const { body } = await merchant.pay(1200, authenticatedPayment({ number: '4111412911111172' }))
  expect(body).toMatchObject({ status: 'buyer_approval_pending' })
  await challenge(railyard, body.payment_method.approval_url)
  expect(await merchant.payment(body.id).read()).toMatchObject({
    status: 'authorization_succeeded',
    three_d_secure: { ...complete, method: 'challenge' },
  })
})

it('the issuer authenticates a larger amount than is paid if the merchant asks for it', async () => {
  await scenario(railyard, shop, 7601, 'Y')
  const { body } = await shop.pay(7601, { ...authenticatedPayment(), three_d_secure: { amount: 9000 } })
  expect(body).toMatchObject({ authorized_amount: 7601, three_d_secure: { amount: 9000 } })
})

it('an approval_expires_at more than a day ahead is refused', async () => {
  const tooLate = new Date(railyard.clock.now() + 25 * 3_600_000).toISOString()
  const answer = await shop.pay(1200, { ...authenticatedPayment(), approval_expires_at: tooLate })
  expect(answer).toMatchObject({ status: 400, body: { details: [{ pointer: '/approval_expires_at' }] } })
})

const sealedCards = async (id: string) =>
  (await railyard.world.run('select 1 as one from held_instruments where id = $1', [id])).length

it('an idempotent replay during a challenge gets the first answer', async () => {
  await scenario(railyard, shop, 7701, 'C', 'Y')
  const key = { 'idempotency-key': 'three-d-secure-7701' }
  const first = await shop.pay(7701, authenticatedPayment(), key)
  const again = await shop.pay(7701, authenticatedPayment(), key)
  expect(again.body.id).toBe(first.body.id)
  expect(again.body.status).toBe('buyer_approval_pending')
})
