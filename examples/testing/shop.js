const { createHmac, timingSafeEqual } = require('node:crypto')

/**
 * A shop, as small as it can be: it charges orders and believes webhooks. Its tests and its life differ in the settings only: `railyardUrl`, `token`,
 * `webhookSecret`.
 */
function openShop(settings) {
  /** A real shop has them in its database. */
  const orders = new Map()
  const handled = new Set()

  /** Answers the order: `paid`, `refused` with a reason for the buyer, or `waiting` for a webhook. */
  async function charge({ id, amount, currency }, paymentMethod) {
    const answer = await fetch(`${settings.railyardUrl}/transactions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${settings.token}`,
        'content-type': 'application/json',
        'idempotency-key': `order-${id}`,
      },
      body: JSON.stringify({
        amount,
        currency,
        intent: 'capture',
        external_identifier: id,
        payment_method: paymentMethod,
      }),
    })
    if (answer.status !== 201) throw new Error(`Railyard answered ${answer.status}`)
    return follow(await answer.json())
  }

  /** The status to answer to a webhook. Anything but a 2xx, and it comes again. */
  function receive(headers, body) {
    if (!isSigned(headers, body)) return 401
    const { id, target } = JSON.parse(body)
    if (handled.has(id)) return 204
    handled.add(id)
    if (target.type === 'transaction') follow(target)
    return 204
  }

  function follow({ external_identifier: id, status, error_code: code }) {
    const order = { id, ...outcomeOf(status, code) }
    orders.set(id, order)
    return order
  }

  function outcomeOf(status, code) {
    if (status === 'capture_succeeded') return { state: 'paid' }
    if (status === 'authorization_failed')
      return { state: 'refused', reason: reasons[code] ?? 'Please pay in another way.' }
    return { state: 'waiting' }
  }

  function isSigned(headers, body) {
    const expected = createHmac('sha256', settings.webhookSecret)
      .update(`${headers['x-svc-webhook-timestamp']}.${body}`)
      .digest('hex')
    const signatures = (headers['x-svc-webhook-signatures'] ?? '').split(',')
    return signatures.some(
      (signature) =>
        signature.length === expected.length &&
        timingSafeEqual(Buffer.from(signature), Buffer.from(expected)),
    )
  }

  return { charge, receive, order: (id) => orders.get(id) }
}

/** By the error codes of Railyard. */
const reasons = {
  insufficient_funds: 'There is not enough money on this card.',
  expired_payment_method: 'This card has expired.',
}

module.exports = { openShop }
