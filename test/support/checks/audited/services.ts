import { mockAntiFraudService } from '../../domains/anti-fraud.ts'
import { signedByApple } from '../../domains/apple-certificate.ts'
import { mockGiftCardService } from '../../domains/gift-cards.ts'
import { mockCardService } from '../../railyard.ts'
import { type Audited, type AuditKit, refusal, walletOf } from './kit.ts'

/** Requests of services, wallets and rules that merchants configure. */
export const servicesRequests = ({
  antiFraud,
  certificate,
  changesNothing,
  fresh,
  giftCardService,
  nothing,
  on,
  operation,
  paymentService,
  railyard,
  rule,
  rules,
  session,
  shop,
  wallet,
}: AuditKit): Record<string, Audited> => ({
  create_payment_service: operation(['created payment-service'], () => [
    '/payment-services',
    mockCardService(),
  ]),
  update_payment_service: on('updated payment-service', paymentService, '', { display_name: 'Renamed' }),
  delete_payment_service: on('deleted payment-service', paymentService),
  verify_payment_service_credentials: nothing(changesNothing, () => [
    '/payment-services/verify',
    { payment_service_definition_id: 'mock-card', fields: [{ key: 'merchant_id', value: 'x' }] },
  ]),
  // mock-card has nothing to register
  register_payment_service_webhook: nothing(changesNothing, async () => [
    `${await paymentService()}/register-webhook`,
    undefined,
  ]),
  create_payment_service_definition_session: nothing(changesNothing, () => [
    '/payment-service-definitions/mock-card/sessions',
    {},
  ]),
  create_payment_service_session: nothing(changesNothing, async () => [
    `${await paymentService()}/sessions`,
    {},
  ]),
  create_gift_card_service: operation(['created gift-card-service'], async () => {
    await shop.delete(`/gift-card-services/${await giftCardService()}`)
    return ['/gift-card-services', mockGiftCardService()]
  }),
  update_gift_card_service: on(
    'updated gift-card-service',
    async () => `/gift-card-services/${await giftCardService()}`,
    '',
    {
      display_name: 'G',
    },
  ),
  delete_gift_card_service: on(
    'deleted gift-card-service',
    async () => `/gift-card-services/${await giftCardService()}`,
  ),
  create_anti_fraud_service: operation(['created anti-fraud-service'], () => [
    '/anti-fraud-services',
    mockAntiFraudService({ active: false }),
  ]),
  update_anti_fraud_service: on('updated anti-fraud-service', antiFraud, '', { display_name: 'Renamed' }),
  delete_anti_fraud_service: on('deleted anti-fraud-service', antiFraud),

  configure_digital_wallet: operation(['created digital-wallet'], () => [
    '/digital-wallets',
    walletOf('google'),
  ]),
  update_digital_wallet: on('updated digital-wallet', () => wallet('apple'), '', {
    merchant_name: 'Renamed',
  }),
  delete_digital_wallet: on('deleted digital-wallet', () => wallet('google')),
  register_digital_wallet_domain: on('updated digital-wallet', () => wallet('apple'), '/domains', {
    domain_name: 'more.example',
  }),
  unregister_digital_wallet_domain: operation(['updated digital-wallet'], async () => {
    const at = `${await wallet('apple')}/domains`
    await shop.post(at, { domain_name: 'less.example' })
    return [at, { domain_name: 'less.example' }]
  }),
  create_apple_pay_certificate: on('updated digital-wallet', () => wallet('apple'), '/certificates', {
    purpose: 'payment-processing',
  }),
  update_apple_pay_certificate: operation(['updated digital-wallet'], async () => {
    const at = `${await wallet('apple')}/certificates`
    const { id, certificate_signing_request } = (await shop.post(at, { purpose: 'payment-processing' })).body
    return [
      `${at}/${id}`,
      { certificate: await signedByApple(certificate_signing_request, railyard.clock.now()) },
    ]
  }),
  delete_apple_pay_certificate: on('updated digital-wallet', certificate),
  create_google_pay_digital_wallet_session: nothing(changesNothing, () => [
    '/digital-wallets/google/session',
    { origin_domain: 'shop.example' },
  ]),
  create_apple_pay_digital_wallet_session: nothing(changesNothing, async () => {
    await shop.post(`${await wallet('apple')}/domains`, { domain_name: 'shop.example' })
    const validation_url = 'https://apple-pay-gateway.apple.com/paymentservices/startSession'
    return ['/digital-wallets/apple/session', { validation_url, domain_name: 'shop.example' }]
  }),
  create_click_to_pay_digital_wallet_session: nothing(changesNothing, async () => {
    await wallet('click-to-pay')
    return ['/digital-wallets/click-to-pay/session', { checkout_session_id: await session() }]
  }),

  create_flow_rule: operation(['created rule'], () => [rules, refusal]),
  replace_flow_rules: operation(['updated rule'], () => [
    rules,
    { items: [{ ...refusal, display_name: fresh('rule') }] },
  ]),
  update_flow_rule: on('updated rule', async () => `${rules}/${await rule()}`, '', {
    ...refusal,
    display_name: 'Renamed',
  }),
  delete_flow_rule: on('deleted rule', async () => `${rules}/${await rule()}`),
  delete_flow_rules_draft: operation(['deleted rule'], async () => {
    await rule()
    return [rules]
  }),
  publish_flow_rules: operation(['updated rule'], async () => {
    await rule()
    return [`${rules}/publish`, {}]
  }),
  replay_flow_rules: nothing(changesNothing, () => [`${rules}/replay`, { rules: [] }]),
})
