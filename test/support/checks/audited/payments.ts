import { cartOf, checkoutsPath, openCheckout, pricingUrl } from '../../domains/agentic-commerce.ts'
import { delegationOf } from '../../domains/delegated-payments.ts'
import { newGiftCard } from '../../domains/gift-cards.ts'
import { storeCard } from '../../domains/network-tokens.ts'
import { payoutOf } from '../../domains/payouts.ts'
import { card, mockCardService } from '../../railyard.ts'
import type { Audited, AuditKit } from './kit.ts'

/** Requests of payments, buyers, links and stored methods. */
export const paymentsRequests = ({
  authorized,
  buyer,
  buyerEntries,
  changesNothing,
  checkout,
  dispute,
  flags,
  fresh,
  giftCardService,
  link,
  made,
  method,
  networkToken,
  nothing,
  on,
  operation,
  paymentLink,
  pays,
  serviceToken,
  session,
  shipping,
  shop,
  sold,
}: AuditKit): Record<string, Audited> => ({
  add_buyer: operation(['created buyer'], () => ['/buyers', { external_identifier: fresh('buyer') }]),
  update_buyer: on('updated buyer', async () => `/buyers/${await buyer()}`, '', { display_name: 'Ada' }),
  delete_buyer: on('deleted buyer', async () => `/buyers/${await buyer()}`),
  erase_buyer: operation(['created buyer-erasure', 'deleted buyer'], async () => [
    `/buyers/${await buyer()}/erase`,
  ]),
  erase_transaction: operation(['created transaction-erasure'], async () => [`${await authorized()}/erase`]),
  add_buyer_shipping_details: on(
    'updated buyer',
    async () => `/buyers/${await buyer()}/shipping-details`,
    '',
    { first_name: 'Ada' },
  ),
  update_buyer_shipping_details: on('updated buyer', shipping, '', { first_name: 'Ada' }),
  delete_buyer_shipping_details: on('updated buyer', shipping),

  create_payout: operation(['created payout'], async () => [
    '/payouts',
    payoutOf(await made('/payment-services', mockCardService())),
  ]),
  sync_payout: nothing('it finds out how the payout is', async () => [
    `/payouts/${await made('/payouts', payoutOf(await made('/payment-services', mockCardService())))}/sync`,
  ]),
  create_gift_card: operation(['created gift-card'], async () => {
    await giftCardService()
    return ['/gift-cards', newGiftCard()]
  }),
  delete_gift_card: operation(['deleted gift-card'], async () => {
    await giftCardService()
    return [`/gift-cards/${await made('/gift-cards', newGiftCard())}`]
  }),
  activate_gift_card: operation(['created gift-card'], async () => {
    await giftCardService()
    return ['/gift-cards/activations', { number: newGiftCard().number, amount: 10_00, currency: 'EUR' }]
  }),
  issue_gift_card: operation(['created gift-card'], async () => {
    await giftCardService()
    return ['/gift-cards/issuances', { theme: 'birthday', amount: 1_00, currency: 'EUR' }]
  }),
  list_gift_card_balances: nothing(changesNothing, async () => {
    await giftCardService()
    return ['/gift-cards/balances', { items: [newGiftCard()] }]
  }),

  create_transaction: operation(['created transaction'], () => [
    '/transactions',
    { amount: 1_00, currency: 'EUR', payment_method: card },
  ]),
  update_transaction: on('updated transaction', authorized, '', { external_identifier: fresh('order') }),
  capture_transaction: on('captured transaction', authorized, '/capture', {}),
  void_transaction: on('voided transaction', authorized, '/void'),
  // 540001: the sandbox's authorization stays pending
  cancel_transaction: on(
    'canceled transaction',
    async () => `/transactions/${await pays(540_001)}`,
    '/cancel',
  ),
  increment_transaction_authorization: on('updated transaction', authorized, '/authorization/increment', {
    amount: 1_00,
  }),
  submit_dispute_evidence: on('updated dispute', dispute, '/evidence', { text: { other: 'Delivered' } }),
  accept_dispute: on('updated dispute', dispute, '/accept'),
  create_transaction_refund: on('created refund', sold, '/refunds', { amount: 1_00 }),
  create_full_transaction_refund: on('created refund', sold, '/refunds/all', {}),
  sync_transaction: nothing('it operation how the payment is', async () => [`${await authorized()}/sync`]),

  create_checkout_session: nothing(buyerEntries, () => ['/checkout/sessions', {}]),
  update_checkout_session: nothing(buyerEntries, async () => [
    `/checkout/sessions/${await session()}`,
    { amount: 1_00 },
  ]),
  delete_checkout_session: nothing(buyerEntries, async () => [`/checkout/sessions/${await session()}`]),
  update_checkout_session_fields: nothing(buyerEntries, async () => [
    `/checkout/sessions/${await session()}/fields`,
    { payment_method: card },
  ]),
  post_checkout_session_fields: nothing(buyerEntries, async () => [
    `/checkout/sessions/${await session()}/fields`,
    { payment_method: card },
  ]),
  get_checkout_session_card_details: nothing(changesNothing, async () => [
    `/checkout/sessions/${await session()}/card-details`,
    { bin: '411111' },
  ]),
  create_checkout_session_three_ds_method: nothing(buyerEntries, async () => [
    `/checkout/sessions/${await session()}/three-ds-method`,
  ]),
  delegate_payment: operation(['created delegated-payment'], () => [
    '/agentic_commerce/delegate_payment',
    delegationOf(shop.account, Date.now()),
  ]),
  update_agentic_seller: operation(['created agentic-seller'], () => [
    '/agentic-seller',
    { pricing_url: 'https://shop.example/price' },
  ]),
  create_agentic_checkout: operation(['created agentic-checkout'], async () => {
    await shop.put('/agentic-seller', { pricing_url: await pricingUrl() })
    return [checkoutsPath, cartOf()]
  }),
  update_agentic_checkout: on('updated agentic-checkout', checkout, '', {}),
  complete_agentic_checkout: operation(['updated agentic-checkout', 'created transaction'], async () => {
    const { id, token } = await openCheckout(shop, Date.now())
    const instrument = { type: 'card', credential: { type: 'vault_token', token } }
    return [`${checkoutsPath}/${id}/complete`, { payment_data: { handler_id: 'card', instrument } }]
  }),
  cancel_agentic_checkout: on('canceled agentic-checkout', checkout, '/cancel'),
  delete_agentic_seller: operation(['deleted agentic-seller'], async () => {
    await shop.put('/agentic-seller', { pricing_url: 'https://shop.example/price' })
    return ['/agentic-seller']
  }),
  list_payment_options: nothing(changesNothing, () => ['/payment-options', {}]),

  create_payment_method: operation(['created payment-method'], () => [
    '/payment-methods',
    { number: card.number, expiration_date: card.expiration_date },
  ]),
  update_payment_method: on('updated payment-method', method, '', { expiration_date: '11/35' }),
  delete_payment_method: on('deleted payment-method', method),
  create_account_updater_job: operation(['updated payment-method', 'updated payment-method'], async () => [
    '/account-updater/jobs',
    { payment_method_ids: [await storeCard(shop), await storeCard(shop)] },
  ]),
  create_payment_method_network_token: on('updated payment-method', method, '/network-tokens', flags),
  create_payment_method_network_token_cryptogram: nothing(changesNothing, async () => [
    `${await networkToken()}/cryptogram`,
    { merchant_initiated: false },
  ]),
  suspend_payment_method_network_token: on('updated payment-method', networkToken, '/suspend'),
  resume_payment_method_network_token: operation(['updated payment-method'], async () => {
    const at = await networkToken()
    await shop.post(`${at}/suspend`)
    return [`${at}/resume`]
  }),
  delete_payment_method_network_token: on('updated payment-method', networkToken),
  create_payment_method_payment_service_token: operation(['updated payment-method'], serviceToken),
  delete_payment_method_payment_service_token: operation(['updated payment-method'], async () => {
    const [at, body] = await serviceToken()
    return [`${at}/${await made(at, body)}`]
  }),

  add_payment_link: operation(['created payment-link'], () => ['/payment-links', link]),
  expire_payment_link: on('updated payment-link', paymentLink, '/expire'),
})
