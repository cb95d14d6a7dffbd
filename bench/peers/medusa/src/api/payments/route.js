const { Modules } = require('@medusajs/framework/utils')

const PROVIDER = 'pp_system_default'

// A payment in one request, by the calls that a checkout of Medusa makes one after the other: a collection, a
// session at the built-in provider, which approves everything by itself, and its authorization.
exports.POST = async ({ scope, body }, response) => {
  const payments = scope.resolve(Modules.PAYMENT)
  const { amount, currency: currency_code, metadata } = body
  const { id: collection } = await payments.createPaymentCollections({ amount, currency_code, metadata })
  const { id: session } = await payments.createPaymentSession(collection, {
    provider_id: PROVIDER,
    currency_code,
    amount,
    data: {},
    context: {},
  })
  response.status(201).json({ payment: await payments.authorizePaymentSession(session, {}) })
}
