import type { Call } from '../contract/call.ts'
import type { Connector, CredentialCheck } from '../contract/connector.ts'
import type { Outcome } from '../contract/outcome.ts'
import { unsure } from '../contract/outcome.ts'
import type { HttpAnswer } from '../wire/http-message.ts'
import { acceptDispute, submitEvidence } from './back-office/disputes.ts'
import { readNotification } from './back-office/notification.ts'
import { registerNotifications } from './back-office/registration.ts'
import { offeredReports, settlementReport } from './back-office/settlement-report.ts'
import { cardDefinition } from './definition.ts'
import { methodDefinition, methods } from './methods.ts'
import { capture } from './payment/capture.ts'
import { close } from './payment/close.ts'
import { find, findMethodPayment } from './payment/find.ts'
import { increment } from './payment/increment.ts'
import { payByMethod } from './payment/method-payment.ts'
import { notSent } from './payment/outcome.ts'
import { payWithCard } from './payment/payment.ts'
import { refund } from './payment/refund.ts'
import { release } from './payment/release.ts'
import { isLiveKey, openWire, type Wire } from './wire.ts'

export interface StripeOptions {
  /** Replaces Stripe's host, for a proxy or a fake. */
  baseUrl?: string
  clock: { now(): number }
  isSandbox: boolean
}

const LIVE_KEY = 'the secret key is a live one; this is the sandbox'

/** Cards at Stripe. */
export function stripeCard(options: StripeOptions): Connector {
  const wire = openWire(options.baseUrl)
  const { common, guarded } = shared(wire, options)
  return {
    ...common,
    definition: cardDefinition,
    operations: {
      authorize: guarded((call) => payWithCard(wire, call)),
      sale: guarded((call) => payWithCard(wire, call)),
      capture: guarded((call) => capture(wire, call)),
      void: guarded((call) => release(wire, call)),
      cancel: guarded((call) => release(wire, call)),
      increment: guarded((call) => increment(wire, call)),
      refund: guarded((call) => refund(wire, call)),
    },
    close: async (call) => (isRefused(call, options) ? unsure : close(wire, call)),
  }
}

/** The methods beside cards, each a payment service of its own. */
export function stripeMethods(options: StripeOptions): Connector[] {
  const wire = openWire(options.baseUrl)
  const { common, guarded } = shared(wire, options)
  return methods.map((method) => ({
    ...common,
    definition: methodDefinition(method),
    operations: {
      ...(method.isDelayed && {
        authorize: guarded((call) => payByMethod(wire, call, method)),
        capture: guarded((call) => capture(wire, call)),
        void: guarded((call) => release(wire, call)),
      }),
      sale: guarded((call) => payByMethod(wire, call, method)),
      cancel: guarded((call) => release(wire, call)),
      refund: guarded((call) => refund(wire, call)),
    },
    find: async (call) => (isRefused(call, options) ? unsure : findMethodPayment(wire, call, method)),
    close: async (call) => (isRefused(call, options) ? unsure : close(wire, call)),
  }))
}

type ServiceFields = { service: Call['service'] }

/** A sandbox sends nothing with a live key: it would move real money. */
const isRefused = ({ service }: ServiceFields, { isSandbox }: StripeOptions): boolean =>
  isSandbox && isLiveKey(service.fields['secret_key'])

/** What every definition of Stripe has in common. */
function shared(wire: Wire, options: StripeOptions) {
  const guarded =
    (operate: (call: Call) => Promise<Outcome>) =>
    async (call: Call): Promise<Outcome> =>
      isRefused(call, options) ? notSent('invalid_service_configuration', LIVE_KEY) : operate(call)
  const common = {
    find: async (call) => (isRefused(call, options) ? unsure : find(wire, call)),
    findReadsPayment: ['authorize', 'sale', 'capture', 'void', 'cancel', 'increment'],
    verifyCredentials: async (call) =>
      isRefused(call, options) ? 'refused' : readAccount(await wire.get(call, '/v1/account')),
    readNotification: async (call, message) => readNotification(options.clock, call, message),
    registerNotifications: async (call) =>
      isRefused(call, options) ? { status: 'refused', reason: LIVE_KEY } : registerNotifications(wire, call),
    disputes: {
      submitEvidence: async (call, submission) =>
        isRefused(call, options)
          ? { status: 'refused', reason: LIVE_KEY }
          : submitEvidence(wire, call, submission),
      accept: async (call, dispute) =>
        isRefused(call, options)
          ? { status: 'refused', reason: LIVE_KEY }
          : acceptDispute(wire, call, dispute),
    },
    settlementReport,
    offeredReports: async (call, since) =>
      isRefused(call, options) ? { unavailable: LIVE_KEY } : offeredReports(wire, call, since),
  } satisfies Partial<Connector>
  return { common, guarded }
}

/** A restricted key may not read the account, and takes payments all the same. */
function readAccount(answer: HttpAnswer): CredentialCheck {
  if (answer.lost) return 'no answer'
  if (answer.status === 200 || answer.status === 403) return 'accepted'
  return answer.status === 401 ? 'refused' : 'no answer'
}
