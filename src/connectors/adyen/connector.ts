import type { Call } from '../contract/call.ts'
import type { Connector } from '../contract/connector.ts'
import { definition } from './definition.ts'
import { acceptDispute, submitEvidence } from './disputes.ts'
import type { AdyenOptions } from './environment.ts'
import { close, find } from './find.ts'
import { adyenMethods, methodDefinition } from './methods.ts'
import { cancel, capture, increment, refund, release } from './modify.ts'
import { readNotification } from './notification.ts'
import { completeChallenge, pay } from './payment.ts'
import { registerNotifications, verifyCredentials } from './registration.ts'
import { closeSession, completeSession, findSession, openSession } from './session.ts'
import { offeredReports, settlementReport } from './settlement-report.ts'
import { tokenize } from './tokenize.ts'

/** What every method of the provider has. */
const shared = (options: AdyenOptions) =>
  ({
    verifyCredentials: (call) => verifyCredentials(options, call),
    readNotification: async (call, message) => readNotification(call, message),
    registerNotifications: (call) => registerNotifications(options, call),
    disputes: {
      submitEvidence: (call, submission) => submitEvidence(options, call, submission),
      accept: (call, dispute) => acceptDispute(options, call, dispute),
    },
  }) satisfies Partial<Connector>

/** Cards. */
export const adyenCard = (options: AdyenOptions): Connector => ({
  definition: definition(options),
  operations: {
    authorize: (call) => pay(options, call),
    sale: (call) => pay(options, call),
    capture: (call) => capture(options, call),
    void: (call) => release(options, call),
    cancel: (call) => cancel(options, call),
    increment: (call) => increment(options, call),
    refund: (call) => refund(options, call),
  },
  ...shared(options),
  find: (call) => find(options, call),
  close: (call) => close(options, call),
  completeApproval: (call, returned) => completeChallenge(options, call, returned),
  tokenize: (call) => tokenize(options, call),
  settlementReport,
  offeredReports: (call, since) => offeredReports(options, call, since),
})

/** The redirect methods, each a payment service of its own. */
export const adyenRedirects = (options: AdyenOptions): Connector[] =>
  adyenMethods.map((method) => ({
    definition: methodDefinition(method, options),
    operations: {
      authorize: (call) => openSession(options, method, call),
      sale: (call) => openSession(options, method, call),
      ...(method.delayedCapture && {
        capture: (call: Call) => capture(options, call),
        void: (call: Call) => release(options, call),
      }),
      refund: (call) => refund(options, call),
    },
    ...shared(options),
    find: (call) =>
      call.operation.kind === 'authorize' || call.operation.kind === 'sale'
        ? findSession(options, call)
        : find(options, call),
    close: (call) => closeSession(options, call),
    completeApproval: (call, returned) => completeSession(options, call, returned),
  }))
