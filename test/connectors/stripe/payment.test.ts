import { describe, expect, test } from 'vitest'
import type { PaymentContext } from '../../../src/connectors/contract/call.ts'
import { bench, visa } from './support.ts'

const paid = (instrument: PaymentContext['instrument'], more: Partial<PaymentContext> = {}) => ({
  instrument,
  ...more,
})
const token = (providerToken: string, more: Partial<PaymentContext> = {}) => paid({ providerToken }, more)
const card = {
  number: '4242424242424242',
  expirationDate: '12/30',
  securityCode: '123',
  scheme: 'visa',
}
const authentication = {
  version: '2.2.0',
  directory_response: 'Y',
  authentication_response: null,
  directory_transaction_id: 'd0d0d0d0-0000-4000-8000-000000000000',
  cavv: 'AAABCSIIAAAAAAACcwgAEMCoNh+=',
  eci: '05',
  cavv_algorithm: null,
  transaction_reason: null,
  cardholder_info: null,
}

const visaDetails = { scheme: 'visa', last4: '4242', expirationDate: '12/30', type: 'credit', country: 'US' }

describe('a card payment', () => {
  test('is authorized: the intent is opened, its id committed, and then confirmed', async () => {
    const { stripe, connector, call, committed } = bench()
    const outcome = await connector.operations.authorize?.(call({}, visa))
    expect(outcome).toMatchObject({
      status: 'approved',
      amount: 10_00,
      facts: {
        avs_response_code: 'match',
        cvv_response_code: 'match',
        scheme_transaction_id: '104102978678771',
      },
      references: { transaction: committed[0] },
    })
    expect(stripe.received.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v1/payment_intents',
      `/v1/payment_intents/${committed[0]}/confirm`,
    ])
    expect(stripe.effects()).toMatchObject([{ kind: 'authorize', amount: 10_00 }])
    expect(stripe.violations).toEqual([])
  })

  test('is taken at once by a sale', async () => {
    const { stripe, connector, call } = bench()
    const outcome = await connector.operations.sale?.(call({ kind: 'sale' }, visa))
    expect(outcome).toMatchObject({ status: 'approved', amount: 10_00 })
    expect(stripe.effects()).toMatchObject([{ kind: 'sale', amount: 10_00, currency: 'EUR' }])
  })

  test('is declined with the codes of the issuer, and its intent canceled', async () => {
    const { stripe, connector, call, committed } = bench()
    const outcome = await connector.operations.authorize?.(
      call({}, token('pm_card_visa_chargeDeclinedInsufficientFunds')),
    )
    expect(outcome).toMatchObject({
      status: 'declined',
      code: 'insufficient_funds',
      facts: {
        raw_response_code: 'insufficient_funds',
        iso_response_code: '51',
        merchant_advice_code: '02',
      },
      references: { transaction: committed[0] },
    })
    expect(stripe.intent(committed[0] ?? '').status).toBe('canceled')
    expect(stripe.effects()).toEqual([])
    expect(stripe.violations).toEqual([])
  })

  test('is paid with a confirmation token, and with a token of the older script', async () => {
    const { stripe, connector, call } = bench()
    for (const given of ['ctoken_1', 'tok_visa'])
      expect(await connector.operations.authorize?.(call({}, token(given)))).toMatchObject({
        status: 'approved',
      })
    expect(stripe.violations).toEqual([])
  })

  test.each([
    ['a token of another provider', { providerToken: 'src_1' }, 'invalid_payment_method'],
    ['encrypted fields', { providerToken: { encryptedCardNumber: 'x' } }, 'invalid_payment_method'],
    ['a card number that the service refuses', { card }, 'invalid_service_configuration'],
    [
      'a network token',
      {
        networkToken: {
          number: '4111111111111111',
          expirationDate: '12/30',
          cryptogram: 'x',
          eci: '05',
          scheme: 'visa',
          source: 'network' as const,
        },
      },
      'unsupported_payment_method',
    ],
    ['an earlier payment', { earlierPayment: 'pi_1' }, 'unsupported_payment_method'],
    ['nothing', {}, 'invalid_payment_method'],
  ])('with %s is refused before any request', async (_what, instrument, code) => {
    const { stripe, connector, call } = bench()
    expect(await connector.operations.authorize?.(call({}, paid(instrument)))).toMatchObject({
      status: 'failed',
      code,
      unprocessed: true,
    })
    expect(stripe.received).toEqual([])
  })

  test('with a card number is made a method first, if the service allows card numbers', async () => {
    const { stripe, connector, call } = bench({ fields: { card_numbers: 'allow' } })
    expect(await connector.operations.authorize?.(call({}, paid({ card })))).toMatchObject({
      status: 'approved',
    })
    expect(stripe.received[0]).toMatchObject({
      form: { 'card[number]': card.number, 'card[exp_month]': '12', 'card[exp_year]': '2030' },
    })
    expect(stripe.violations).toEqual([])
  })

  test('stores the method with a customer, and is charged again by the merchant', async () => {
    const { stripe, connector, call } = bench()
    const first = await connector.operations.authorize?.(
      call(
        {},
        token('pm_card_visa', {
          storesInstrument: true,
          storedCredential: {
            initiator: 'customer',
            usage: 'first',
            reason: 'recurring',
            schemeTransactionId: null,
            transactionLinkId: null,
          },
        }),
      ),
    )
    const stored = first?.status === 'approved' ? (first.storedToken ?? '') : ''
    expect(stored).toMatch(/^cus_fake\d+\/pm_card_visa$/)
    expect(first).toMatchObject({ storedCard: visaDetails })
    const again = await connector.operations.sale?.(
      call(
        { kind: 'sale' },
        paid(
          { serviceToken: stored },
          {
            canChallenge: false,
            storedCredential: {
              initiator: 'merchant',
              usage: 'subsequent',
              reason: 'recurring',
              schemeTransactionId: '1',
              transactionLinkId: null,
            },
          },
        ),
      ),
    )
    expect(again).toMatchObject({ status: 'approved' })
    const [opened, confirmed] = stripe.received.slice(-2)
    expect(opened?.form).toMatchObject({ customer: stored.split('/')[0] })
    expect(confirmed?.form).toMatchObject({
      payment_method: 'pm_card_visa',
      off_session: 'true',
      'payment_method_options[card][stored_credential_usage]': 'recurring',
    })
    expect(confirmed?.form).not.toHaveProperty('return_url')
    expect(stripe.violations).toEqual([])
  })

  test('of zero checks the card with a SetupIntent, and can store it', async () => {
    const { stripe, connector, call, committed } = bench()
    const outcome = await connector.operations.authorize?.(
      call({ amount: 0 }, token('pm_card_visa', { storesInstrument: true })),
    )
    expect(outcome).toMatchObject({
      status: 'approved',
      amount: 0,
      storedToken: expect.stringMatching(/^cus_.*\/pm_card_visa$/),
      storedCard: visaDetails,
    })
    expect(committed[0]).toMatch(/^seti_/)
    const id = committed[0] ?? ''
    expect(
      await connector.operations.void?.(call({ kind: 'void', amount: 0, paymentReference: id })),
    ).toMatchObject({ status: 'approved', amount: 0 })
    expect(stripe.effects()).toEqual([])
    expect(stripe.violations).toEqual([])
  })

  test('sends the merchant’s own 3-D Secure data, so that Stripe asks for no challenge', async () => {
    const { stripe, connector, call } = bench()
    expect(
      await connector.operations.authorize?.(
        call({}, token('pm_card_threeDSecure2Required', { authentication })),
      ),
    ).toMatchObject({ status: 'approved' })
    expect(stripe.received.at(-1)?.form).toMatchObject({
      'payment_method_options[card][three_d_secure][cryptogram]': authentication.cavv,
      'payment_method_options[card][three_d_secure][electronic_commerce_indicator]': '05',
    })
    expect(stripe.violations).toEqual([])
  })

  test.each([
    ['1.0', '1.0.2'],
    ['2', '2.1.0'],
    ['2.2', '2.2.0'],
    ['2.3.1', '2.3.1'],
  ])('sends 3-D Secure data of version %s under Stripe’s name %s', async (version, sent) => {
    const { stripe, connector, call } = bench()
    await connector.operations.authorize?.(
      call({}, token('pm_card_visa', { authentication: { ...authentication, version } })),
    )
    expect(stripe.received.at(-1)?.form).toMatchObject({
      'payment_method_options[card][three_d_secure][version]': sent,
    })
    expect(stripe.violations).toEqual([])
  })

  test.each([
    ['of a version that Stripe does not take', { version: '2.0.1' }],
    ['without the id that Stripe wants', { directory_transaction_id: null }],
  ])('with 3-D Secure data %s is refused before any request', async (_what, wrong) => {
    const { stripe, connector, call } = bench()
    expect(
      await connector.operations.authorize?.(
        call({}, token('pm_card_visa', { authentication: { ...authentication, ...wrong } })),
      ),
    ).toMatchObject({ status: 'failed', code: 'unsupported_transaction', unprocessed: true })
    expect(stripe.received).toEqual([])
  })

  test('sends the options of a platform, and later operations go to the same connected account', async () => {
    const { stripe, connector, call } = bench()
    const options = {
      customer_id: 'cus_9',
      stripe_connect: {
        stripe_account: 'acct_9',
        application_fee_amount: 12,
        on_behalf_of: 'acct_8',
        transfer_data_destination: 'acct_7',
        transfer_group: 'group',
      },
    }
    const outcome = await connector.operations.authorize?.(call({}, { ...visa, options }))
    expect(stripe.received[0]).toMatchObject({
      headers: { 'stripe-account': 'acct_9' },
      form: {
        customer: 'cus_9',
        application_fee_amount: '12',
        on_behalf_of: 'acct_8',
        'transfer_data[destination]': 'acct_7',
        transfer_group: 'group',
      },
    })
    const { transaction = null, identifiers = {} } = outcome?.status === 'approved' ? outcome.references : {}
    await connector.operations.capture?.(
      call({ kind: 'capture', paymentReference: transaction, identifiers }),
    )
    expect(stripe.received.at(-1)?.headers).toMatchObject({ 'stripe-account': 'acct_9' })
  })
})

describe('a challenge', () => {
  const challenged = token('pm_card_threeDSecure2Required')

  test('sends the buyer to the page of the provider; their return is looked up', async () => {
    const { stripe, connector, call } = bench()
    const asked = call({}, challenged)
    const outcome = await connector.operations.authorize?.(asked)
    if (outcome?.status !== 'pending') throw new Error('not pending')
    const { transaction = '' } = outcome.references
    stripe.visit(outcome.approval?.url ?? '', 'approve')
    const later = { ...asked, operation: { ...asked.operation, committedReference: transaction } }
    expect(await connector.find(later)).toMatchObject({
      status: 'found',
      outcome: { status: 'approved', amount: 10_00 },
    })
    expect(stripe.violations).toEqual([])
  })

  test.each([
    ['decline' as const, 'failed_buyer_approval', 'pm_card_threeDSecure2Required'],
    ['approve' as const, 'issuer_decline', 'pm_card_threeDSecureRequiredChargeDeclined'],
  ])('%s of the buyer can end without the payment', async (decision, code, method) => {
    const { stripe, connector, call } = bench()
    const asked = call({}, token(method))
    const outcome = await connector.operations.authorize?.(asked)
    if (outcome?.status !== 'pending') throw new Error('not pending')
    const { transaction = '' } = outcome.references
    stripe.visit(outcome.approval?.url ?? '', decision)
    const later = { ...asked, operation: { ...asked.operation, committedReference: transaction } }
    expect(await connector.find(later)).toMatchObject({ status: 'found', outcome: { code } })
    expect(stripe.intent(transaction).status).toBe('canceled')
  })

  test.each([
    ['no page to return to', { canChallenge: false }],
    ['the option error_on_requires_action', { options: { error_on_requires_action: true } }],
  ])('is refused with %s', async (_why, more) => {
    const { stripe, connector, call } = bench()
    expect(await connector.operations.authorize?.(call({}, { ...challenged, ...more }))).toMatchObject({
      status: 'failed',
      code: 'requires_buyer_authentication',
    })
    expect(stripe.violations).toEqual([])
  })

  test('of a card that is checked for zero is refused with no page to return to', async () => {
    const { stripe, connector, call, committed } = bench()
    expect(
      await connector.operations.authorize?.(call({ amount: 0 }, { ...challenged, canChallenge: false })),
    ).toMatchObject({ status: 'failed', code: 'requires_buyer_authentication' })
    expect(stripe.intent(committed[0] ?? '').status).toBe('canceled')
  })
})

describe('credentials', () => {
  test('are accepted or refused', async () => {
    const good = bench()
    expect(await good.connector.verifyCredentials(good.call())).toBe('accepted')
    const bad = bench({ fields: { secret_key: 'sk_test_other' } })
    expect(await bad.connector.verifyCredentials(bad.call())).toBe('refused')
    expect(await bad.connector.operations.authorize?.(bad.call({}, visa))).toMatchObject({
      status: 'failed',
      code: 'invalid_service_credentials',
      unprocessed: true,
    })
  })

  test('of live payments send nothing from a sandbox', async () => {
    const { stripe, connector, call } = bench({ fields: { secret_key: 'sk_live_1' } })
    expect(await connector.operations.authorize?.(call({}, visa))).toMatchObject({
      code: 'invalid_service_configuration',
      unprocessed: true,
    })
    expect(await connector.verifyCredentials(call())).toBe('refused')
    expect(await connector.find(call())).toEqual({ status: 'unsure' })
    expect(stripe.received).toEqual([])
  })
})
