import { expect, test } from 'vitest'
import { growth } from '../../../test/support/growth.ts'
import { hideInOutcome, redactor, withoutApprovalPages } from './redact.ts'

const token = 'RmvMdcwRUVYjA4lfAIE6VPBg_0NGU7GXVfXLlwtuZAc'

test('masks the token of a notification URL wherever the URL appears', () => {
  const url = `https://pay.example/notifications/shop/01a20008-7d03-7085-af8e-63e8acb22817/${token}`
  expect(redactor(undefined)({ notification_url: url, merchant_urls: [`${url}?order=7`] })).toEqual({
    notification_url: 'https://pay.example/notifications/shop/01a20008-7d03-7085-af8e-63e8acb22817/***',
    merchant_urls: [
      'https://pay.example/notifications/shop/01a20008-7d03-7085-af8e-63e8acb22817/***?order=7',
    ],
  })
})

test('masks the token of a return URL and of a payment link', () => {
  const back = 'https://pay.example/approvals/shop/01a20008-7d03-7085-af8e-63e8acb22817/'
  expect(
    redactor(undefined)([
      `${back}${token}/approved`,
      `${back}${token}/challenge`,
      `https://pay.example/pay/${token}`,
    ]),
  ).toEqual([`${back}***/approved`, `${back}***/challenge`, 'https://pay.example/pay/***'])
})

test('masks the token by which a PayPal account can be charged again', () => {
  const redact = redactor(undefined)
  const token = '8kk8451t'
  const answer = {
    payment_source: {
      paypal: {
        attributes: {
          vault: {
            id: token,
            status: 'VAULTED',
            links: [{ href: `https://pp/v3/vault/payment-tokens/${token}` }],
          },
        },
      },
    },
  }
  expect(redact(answer)).toMatchObject({
    payment_source: { paypal: { attributes: { vault: { id: '***', status: 'VAULTED' } } } },
  })
  expect(JSON.stringify(redact(answer))).not.toContain(token)
  expect(redact({ payment_source: { paypal: { vault_id: token } } })).toEqual({
    payment_source: { paypal: { vault_id: '***' } },
  })
})

test('masks the ids by which a provider can charge a stored card again', () => {
  const clean = redactor(undefined)
  expect(
    clean({
      url: 'https://api.stripe.com/v1/payment_methods/pm_1MqLiJLkdIwHu7ixUEgbFdYF/attach',
      form: { customer: 'cus_9s6XKzkNRiz8i3', payment_method: 'pm_1MqLiJLkdIwHu7ixUEgbFdYF' },
      source: { id: 'src_wmlfc3zyhqzehihu7giusaaawu' },
      mandateId: 'mdt_h3gAaD5zP',
      additionalData: {
        'tokenization.storedPaymentMethodId': 'M5N7TQ4TG5PFWR50',
        'recurring.recurringDetailReference': '8415995487234100',
      },
    }),
  ).toEqual({
    url: 'https://api.stripe.com/v1/payment_methods/***/attach',
    form: { customer: '***', payment_method: '***' },
    source: { id: '***' },
    mandateId: '***',
    additionalData: {
      'tokenization.storedPaymentMethodId': '***',
      'recurring.recurringDetailReference': '***',
    },
  })
  const other = { id: 'pi_3MqLiJLkdIwHu7ix', kind: 'my_pm_1MqLiJLkdIwHu7ix', text: 'src_short' }
  expect(clean(other)).toEqual(other)
})

test('masks the approval page in a payment service’s answer', () => {
  const links = [
    { rel: 'self', href: 'https://wallet.example/orders/1' },
    { rel: 'payer-action', href: 'https://wallet.example/checkout?token=1' },
  ]
  expect(withoutApprovalPages({ id: '1', redirect_url: 'https://bnpl.example/pages/1', links })).toEqual({
    id: '1',
    redirect_url: '***',
    links: [links[0], { rel: 'payer-action', href: '***' }],
  })
  const named = { self: { href: 'https://api.example/1' }, checkout: { href: 'https://pay.example/1' } }
  expect(withoutApprovalPages({ _links: named })).toEqual({
    _links: { ...named, checkout: { href: '***' } },
  })
})

test('the search for such URLs takes time linear in the text', async () => {
  const clean = redactor(undefined)
  expect(await growth((size) => 'notifications/'.repeat(size / 14), 30_000, clean)).toBeLessThan(32)
})

test('leaves text alone that only resembles such a URL', () => {
  for (const url of [
    'https://shop.example/notifications/orders',
    `https://shop.example/x/${token}`,
    `notifications/a/${token}x`,
  ])
    expect(redactor(undefined)(url)).toBe(url)
})

test('masks the card number in every member, and in the names of members', () => {
  const clean = redactor('4111111111111111')
  expect(clean({ number: '4111111111111111', note: 'card 4111111111111111', '4111111111111111': 1 })).toEqual(
    {
      number: '411111******1111',
      note: 'card 411111******1111',
      '411111******1111': 1,
    },
  )
})

test('an answer of Adyen is kept without the page on which the buyer pays or is challenged', () => {
  const url = 'https://checkoutshopper-test.adyen.com/page'
  const challenge = {
    resultCode: 'RedirectShopper',
    action: { type: 'redirect', paymentMethodType: 'scheme', url },
  }
  const session = { id: 'CS1', mode: 'hosted', url }
  for (const answer of [challenge, session])
    expect(JSON.stringify(withoutApprovalPages(answer))).not.toContain('checkoutshopper')
})

test('encrypted card fields and tokens of Adyen are not kept', () => {
  const paymentMethod = {
    type: 'scheme',
    encryptedCardNumber: 'eyJhbGci.card',
    encryptedSecurityCode: 'eyJhbGci.code',
    storedPaymentMethodId: 'M5N7TQ4TG5PFWR50',
  }
  const kept = JSON.stringify(
    redactor(undefined)({ paymentMethod, details: { redirectResult: 'eyJhbGci.result' } }),
  )
  expect(kept).not.toMatch(/eyJhbGci|M5N7/)
})

test('a link to an approval page that is a member of its own is opaque', () => {
  const links = { self: { href: 'https://api.example/1' }, redirect: { href: 'https://issuer.example/1' } }
  expect(withoutApprovalPages({ _links: links })).toEqual({
    _links: { self: { href: 'https://api.example/1' }, redirect: { href: '***' } },
  })
})

test('masks a card number that a provider writes with separators or as a number, and security codes as numbers', () => {
  const clean = redactor('4111111111111111')
  expect(
    clean({
      message: 'Invalid number 4111 1111-1111.1111, not 4111111111111112',
      list: [4111111111111111, 7],
      number: 5555555555554444,
      '4111-1111-1111-1111': 1,
      card: { cvc: 123, pin: 1234 },
    }),
  ).toEqual({
    message: 'Invalid number 411111******1111, not 4111111111111112',
    list: ['411111******1111', 7],
    number: '555555******4444',
    '411111******1111': 1,
    card: { cvc: '***', pin: '***' },
  })
  // of 19 digits JSON keeps the first ones only
  expect(redactor('6212345678901234569')({ seen: JSON.parse('6212345678901234569') })).toEqual({
    seen: expect.stringMatching(/^621234\*+/),
  })
})

test('a provider that repeats the card number or the token does not bring it into an outcome', () => {
  const hide = redactor('4111111111111111', 'tok_secret')
  const facts = { raw_response_code: '101', raw_response_description: '4111 1111 1111 1111: tok_secret' }
  expect(
    hideInOutcome({ status: 'declined', code: 'x', facts, references: { operation: 'a' } }, hide),
  ).toEqual({
    status: 'declined',
    code: 'x',
    facts: { raw_response_code: '101', raw_response_description: '411111******1111: ***' },
    references: { operation: 'a' },
  })
  expect(hideInOutcome({ status: 'unknown', reason: 'HTTP 500 4111111111111111' }, hide)).toEqual({
    status: 'unknown',
    reason: 'HTTP 500 411111******1111',
  })
})
