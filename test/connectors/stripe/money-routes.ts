import { readFileSync } from 'node:fs'
import { type Asked, invalid, membersOf, Refused, upper } from './asked.ts'
import type { FakeStripe, Route } from './fake.ts'
import { type FakeIntent, type FakeRefund, intentBody, methodBody, refundBody } from './objects.ts'
import { confirmIntent } from './paying.ts'

const isExpanded = ({ form }: Asked, name: string): boolean =>
  Object.values(membersOf(form, 'expand')).some((member) => member.endsWith(name))

const shown = (intent: FakeIntent, asked: Asked) => ({
  ...intentBody(intent, isExpanded(asked, 'latest_charge')),
  ...(isExpanded(asked, 'payment_method') && { payment_method: methodBody(intent) }),
})

function open(stripe: FakeStripe, { form }: Asked, object: FakeIntent['object']): FakeIntent {
  const isPayment = object === 'payment_intent'
  const amount = Number(form['amount'] ?? 0)
  if (isPayment && amount < 1) throw invalid('amount_too_small')
  const intent: FakeIntent = {
    id: stripe.id(isPayment ? 'pi' : 'seti'),
    account: stripe.account,
    object,
    status: 'requires_payment_method',
    amount,
    amount_capturable: 0,
    amount_received: 0,
    capture_method: form['capture_method'] ?? 'automatic',
    created: stripe.seconds(),
    currency: form['currency'] ?? '',
    customer: form['customer'] ?? null,
    payment_method: null,
    metadata: membersOf(form, 'metadata'),
    next_action: null,
    problem: null,
    charge: null,
    cancellation_reason: null,
    setup_future_usage: form['setup_future_usage'] ?? null,
    return_url: null,
  }
  stripe.intents.set(intent.id, intent)
  return intent
}

/** Opens an intent, and with `confirm` confirms it in the same request. */
function create(stripe: FakeStripe, asked: Asked, object: FakeIntent['object']): FakeIntent {
  const intent = open(stripe, asked, object)
  return asked.form['confirm'] === 'true' ? confirmIntent(stripe, { ...asked, id: intent.id }) : intent
}

const listed = (items: readonly unknown[], url: string) => ({
  object: 'list',
  data: items,
  has_more: false,
  url,
})

function listIntents(stripe: FakeStripe, asked: Asked, object: FakeIntent['object']) {
  const { gte = '0', lte = `${Number.MAX_SAFE_INTEGER}` } = membersOf(asked.form, 'created')
  const items = [...stripe.intents.values()].filter(
    (intent) =>
      intent.account === stripe.account &&
      intent.object === object &&
      intent.created >= Number(gte) &&
      intent.created <= Number(lte),
  )
  return listed(
    items.reverse().map((intent) => shown(intent, asked)),
    `/v1/${object}s`,
  )
}

function captureIntent(stripe: FakeStripe, asked: Asked): FakeIntent {
  const intent = stripe.intent(asked.id)
  const { charge } = intent
  if (intent.status !== 'requires_capture' || !charge) throw invalid('payment_intent_unexpected_state')
  const amount = Number(asked.form['amount_to_capture'] ?? intent.amount_capturable)
  if (amount > intent.amount_capturable) throw invalid('amount_too_large')
  const isFinal = asked.form['final_capture'] !== 'false' || amount === intent.amount_capturable
  intent.amount_received += amount
  charge.amount_captured += amount
  intent.amount_capturable = isFinal ? 0 : intent.amount_capturable - amount
  intent.status = isFinal ? 'succeeded' : 'requires_capture'
  Object.assign(intent.metadata, membersOf(asked.form, 'metadata'))
  stripe.move({ key: asked.key, kind: 'capture', payment: intent.id, amount, currency: upper(intent) })
  return intent
}

function incrementIntent(stripe: FakeStripe, asked: Asked): FakeIntent {
  const intent = stripe.intent(asked.id)
  const { charge } = intent
  const total = Number(asked.form['amount'])
  if (intent.status !== 'requires_capture' || !charge) throw invalid('payment_intent_unexpected_state')
  if (total <= intent.amount) throw invalid('payment_intent_invalid_parameter')
  if (total % 100 === 99)
    throw new Refused(402, {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      payment_intent: intentBody(intent, false),
    })
  const added = total - intent.amount
  intent.amount = total
  intent.amount_capturable += added
  charge.amount = total
  Object.assign(intent.metadata, membersOf(asked.form, 'metadata'))
  stripe.move({
    key: asked.key,
    kind: 'increment',
    payment: intent.id,
    amount: added,
    currency: upper(intent),
  })
  return intent
}

function cancelIntent(stripe: FakeStripe, asked: Asked): FakeIntent {
  const intent = stripe.intent(asked.id)
  if (['canceled', 'succeeded', 'processing'].includes(intent.status))
    throw invalid('payment_intent_unexpected_state')
  if (intent.status === 'requires_capture')
    stripe.move({
      key: asked.key,
      kind: 'void',
      payment: intent.id,
      amount: intent.amount_capturable,
      currency: upper(intent),
    })
  Object.assign(intent, {
    status: 'canceled',
    amount_capturable: 0,
    next_action: null,
    cancellation_reason: asked.form['cancellation_reason'] ?? 'requested_by_customer',
  })
  stripe.notify('payment_intent.canceled', intentBody(intent, false))
  return intent
}

function makeRefund(stripe: FakeStripe, { form, key }: Asked) {
  const intent = stripe.intent(form['payment_intent'] ?? '')
  const { charge } = intent
  const amount = Number(form['amount'])
  if (!charge || intent.amount_received === 0) throw invalid('charge_not_refundable')
  const left = charge.amount_captured - charge.amount_refunded
  if (left === 0) throw invalid('charge_already_refunded')
  if (amount > left) throw invalid('invalid_charge_amount')
  charge.amount_refunded += amount
  const made: FakeRefund = {
    id: stripe.id('re'),
    intent: intent.id,
    amount,
    currency: intent.currency,
    created: stripe.seconds(),
    metadata: membersOf(form, 'metadata'),
    status: amount % 100 === 26 ? 'pending' : 'succeeded',
  }
  stripe.refunds.unshift(made)
  stripe.move({ key, kind: 'refund', payment: intent.id, amount, currency: upper(intent) })
  stripe.notify('refund.created', refundBody(made))
  return refundBody(made)
}

export const moneyRoutes: readonly Route[] = [
  [/^POST \/v1\/payment_intents$/, (stripe, asked) => shown(create(stripe, asked, 'payment_intent'), asked)],
  [/^POST \/v1\/setup_intents$/, (stripe, asked) => shown(create(stripe, asked, 'setup_intent'), asked)],
  [/^GET \/v1\/payment_intents$/, (stripe, asked) => listIntents(stripe, asked, 'payment_intent')],
  [/^GET \/v1\/setup_intents$/, (stripe, asked) => listIntents(stripe, asked, 'setup_intent')],
  [
    /^GET \/v1\/(?:payment|setup)_intents\/([^/]+)$/,
    (stripe, asked) => shown(stripe.intent(asked.id), asked),
  ],
  [
    /^POST \/v1\/(?:payment|setup)_intents\/([^/]+)\/confirm$/,
    (stripe, asked) => shown(confirmIntent(stripe, asked), asked),
  ],
  [
    /^POST \/v1\/(?:payment|setup)_intents\/([^/]+)\/cancel$/,
    (stripe, asked) => shown(cancelIntent(stripe, asked), asked),
  ],
  [
    /^POST \/v1\/payment_intents\/([^/]+)\/capture$/,
    (stripe, asked) => shown(captureIntent(stripe, asked), asked),
  ],
  [
    /^POST \/v1\/payment_intents\/([^/]+)\/increment_authorization$/,
    (stripe, asked) => shown(incrementIntent(stripe, asked), asked),
  ],
  [/^POST \/v1\/refunds$/, makeRefund],
  [
    /^GET \/v1\/refunds$/,
    (stripe, { form }) => {
      const { id } = stripe.intent(form['payment_intent'] ?? '')
      return listed(stripe.refunds.filter(({ intent }) => intent === id).map(refundBody), '/v1/refunds')
    },
  ],
  [/^POST \/v1\/payment_methods$/, (stripe, asked) => makeMethod(stripe, asked)],
  [/^POST \/v1\/customers$/, (stripe, { form }) => makeCustomer(stripe, form)],
  [/^GET \/v1\/account$/, () => account],
]

const account = {
  id: 'acct_fake',
  object: 'account',
  charges_enabled: true,
  payouts_enabled: true,
  details_submitted: true,
}

const testCards: readonly { number: string; result: string; decline_code?: string; code?: string }[] =
  JSON.parse(readFileSync(new URL('../../contracts/codes/stripe.json', import.meta.url), 'utf8')).test.cards

function makeMethod(stripe: FakeStripe, { form }: Asked) {
  const id = stripe.id('pm')
  const number = form['card[number]']
  const card = testCards.find((item) => item.number === number)
  if (number !== undefined && !card) throw invalid('incorrect_number')
  const isChallenged = card?.result.startsWith('3DS: ') && !/already|optional/.test(card.result)
  stripe.objects.set(id, { ...(card?.code && { decline: card }), ...(isChallenged && { isChallenged }) })
  return {
    id,
    object: 'payment_method',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    created: stripe.seconds(),
    customer: null,
    livemode: false,
    metadata: {},
    type: 'card',
  }
}

function makeCustomer(stripe: FakeStripe, form: Asked['form']) {
  return {
    id: stripe.id('cus'),
    object: 'customer',
    balance: 0,
    created: stripe.seconds(),
    default_source: null,
    description: null,
    email: form['email'] ?? null,
    livemode: false,
    metadata: membersOf(form, 'metadata'),
    shipping: null,
  }
}
