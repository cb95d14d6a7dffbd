import type { BuyerDecision } from '../../../src/connector-kit/fake-provider.ts'
import { type Asked, invalid, membersOf, Refused, upper } from './asked.ts'
import type { FakeStripe } from './fake.ts'
import { type FakeIntent, intentBody } from './objects.ts'

/** The decline codes of Stripe's test methods, by their ids. */
const declining: Readonly<Record<string, Record<string, string>>> = {
  pm_card_visa_chargeDeclined: { code: 'card_declined', decline_code: 'generic_decline' },
  pm_card_chargeDeclined: { code: 'card_declined', decline_code: 'generic_decline' },
  pm_card_visa_chargeDeclinedInsufficientFunds: {
    code: 'card_declined',
    decline_code: 'insufficient_funds',
    network_decline_code: '51',
    network_advice_code: '02',
  },
  pm_advised_do_not_try_again: {
    code: 'card_declined',
    decline_code: 'do_not_honor',
    advice_code: 'do_not_try_again',
  },
  pm_card_visa_chargeDeclinedLostCard: { code: 'card_declined', decline_code: 'lost_card' },
  pm_card_visa_chargeDeclinedStolenCard: { code: 'card_declined', decline_code: 'stolen_card' },
}

/** `pm_decline_<code>` declines with that code. */
function declineOf(stripe: FakeStripe, method: string): Record<string, string> | undefined {
  const own = stripe.objects.get(method)?.['decline']
  if (typeof own === 'object' && own !== null) {
    const { code, decline_code } = own as Record<string, string>
    return { ...(code && { code }), ...(decline_code && { decline_code }) }
  }
  const prefix = 'pm_decline_'
  if (!method.startsWith(prefix)) return declining[method]
  return { code: 'card_declined', decline_code: method.slice(prefix.length) }
}

const needsChallenge = (stripe: FakeStripe, method: string) =>
  /authenticationRequired|threeDSecure.*Required/i.test(method) ||
  stripe.objects.get(method)?.['isChallenged'] === true

/** Attempts to pay an intent with a method. */
export function confirmIntent(stripe: FakeStripe, asked: Asked): FakeIntent {
  const { form } = asked
  const intent = stripe.intent(asked.id)
  if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_confirmation')
    throw invalid('payment_intent_unexpected_state', embedded(intent))
  const type = form['payment_method_data[type]']
  const method = type ? stripe.id('pm') : (form['payment_method'] ?? form['confirmation_token'] ?? '')
  if (method === '') throw invalid('parameter_missing')
  if (method.startsWith('pm_missing')) throw invalid('resource_missing', embedded(intent))
  intent.payment_method = method.replace(/^ctoken/, 'pm_from')
  intent.return_url = form['return_url'] ?? null
  stripe.objects.set(intent.id, { ...stripe.objects.get(intent.id), type: type ?? 'card', key: asked.key })
  if (type) return challenge(intent, type)
  const card = membersOf(form, 'payment_method_options[card]')
  const isAuthenticated = Object.keys(card).some((name) => name.startsWith('three_d_secure'))
  if (needsChallenge(stripe, method) && !isAuthenticated) {
    if (form['error_on_requires_action'] !== 'true' && form['off_session'] !== 'true')
      return challenge(intent, 'card')
    return fail(stripe, intent, { code: 'authentication_required', decline_code: 'authentication_required' })
  }
  const decline = declineOf(stripe, method)
  return decline ? fail(stripe, intent, decline) : charge(stripe, intent, asked.key)
}

const embedded = (intent: FakeIntent) => ({ [intent.object]: intentBody(intent, false) })

function challenge(intent: FakeIntent, type: string): FakeIntent {
  const page = { url: `https://hooks.stripe.test/${type}/${intent.id}`, return_url: intent.return_url }
  intent.status = 'requires_action'
  intent.next_action =
    type === 'alipay'
      ? {
          type: 'alipay_handle_redirect',
          alipay_handle_redirect: { ...page, native_data: null, native_url: null },
        }
      : { type: 'redirect_to_url', redirect_to_url: page }
  return intent
}

/** A refused attempt leaves the intent open for another one. */
function fail(stripe: FakeStripe, intent: FakeIntent, decline: Record<string, string>): never {
  recordFailure(stripe, intent, decline)
  throw new Refused(402, { ...intent.problem, ...embedded(intent) })
}

function recordFailure(stripe: FakeStripe, intent: FakeIntent, decline: Record<string, string>): void {
  const problem = { type: 'card_error', message: 'Your card was declined.', ...decline }
  Object.assign(intent, { status: 'requires_payment_method', problem, next_action: null })
  if (intent.object === 'payment_intent') intent.charge = newCharge(stripe, intent, 'failed', decline)
  stripe.notify('payment_intent.payment_failed', intentBody(intent, false))
}

function newCharge(
  stripe: FakeStripe,
  intent: FakeIntent,
  status: 'succeeded' | 'failed',
  decline: Record<string, string> | null,
): FakeIntent['charge'] {
  const method = intent.payment_method ?? ''
  const type = stripe.objects.get(intent.id)?.['type']
  return {
    id: stripe.id('ch'),
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    created: stripe.seconds(),
    currency: intent.currency,
    status,
    decline,
    checks: {
      line: method.endsWith('avsFail') ? 'fail' : 'pass',
      postal: method.endsWith('avsFail') ? 'fail' : 'pass',
      cvc: method.endsWith('cvcCheckFail') ? 'fail' : 'pass',
    },
    type: typeof type === 'string' ? type : 'card',
  }
}

function charge(stripe: FakeStripe, intent: FakeIntent, key: string): FakeIntent {
  if (intent.object === 'setup_intent') {
    intent.status = 'succeeded'
    return intent
  }
  const made = newCharge(stripe, intent, 'succeeded', null)
  const isSale = intent.capture_method !== 'manual'
  Object.assign(intent, {
    charge: made && { ...made, amount_captured: isSale ? intent.amount : 0 },
    status: isSale ? 'succeeded' : 'requires_capture',
    amount_received: isSale ? intent.amount : 0,
    amount_capturable: isSale ? 0 : intent.amount,
    problem: null,
    next_action: null,
  })
  stripe.move({
    key: key.replace(/-confirm$/, ''),
    kind: isSale ? 'sale' : 'authorize',
    payment: intent.id,
    amount: intent.amount,
    currency: upper(intent),
  })
  const event = isSale ? 'succeeded' : 'amount_capturable_updated'
  stripe.notify(`payment_intent.${event}`, intentBody(intent, false))
  return intent
}

/** The page's script confirms with the method that the intent was opened for; no key of ours comes with it. */
export function confirmByScript(stripe: FakeStripe, intent: FakeIntent): void {
  if (intent.status !== 'requires_payment_method') return
  intent.payment_method = stripe.id('pm')
  stripe.objects.set(intent.id, { type: 'sepa_debit', key: intent.metadata['railyard_operation'] })
  challenge(intent, 'sepa_debit')
}

/** The buyer decides at the page of a challenge, or of a method that pays by redirect. */
export function finishChallenge(stripe: FakeStripe, intent: FakeIntent, decision: BuyerDecision): void {
  if (intent.status !== 'requires_action' || decision === 'abandon') return
  const key = stripe.objects.get(intent.id)?.['key']
  const declines = (intent.payment_method ?? '').endsWith('ChargeDeclined')
  if (decision === 'approve' && !declines) charge(stripe, intent, typeof key === 'string' ? key : '')
  else
    recordFailure(
      stripe,
      intent,
      declines && decision === 'approve'
        ? { code: 'card_declined', decline_code: 'generic_decline' }
        : { code: 'payment_intent_authentication_failure' },
    )
}
