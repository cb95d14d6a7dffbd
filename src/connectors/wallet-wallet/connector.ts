import type { Connector } from '../contract/connector.ts'
import { findApproval, openOrder } from './approval.ts'
import { acceptDispute, submitEvidence } from './back-office/disputes.ts'
import { notificationReader } from './back-office/notification.ts'
import { registerNotifications } from './back-office/registration.ts'
import { offeredReports, settlementReport } from './back-office/settlement-report.ts'
import { definition } from './definition.ts'
import { findMoney } from './find.ts'
import { tokenCache } from './oauth.ts'
import { orderProblems } from './order-problems.ts'
import { authorize, cancel, capture, release, sale } from './payment.ts'
import { refund } from './refund.ts'
import { closeStoredPayment, isStoredPayment, payByStoredAccount } from './stored-payment.ts'
import { openWire } from './wire.ts'

/**
 * PayPal's connector. `sandboxUrl` is the simulator's, e.g. `http://127.0.0.1:9090`; undefined in
 * production.
 */
export function wallet({
  sandboxUrl,
  clock,
}: {
  sandboxUrl: string | undefined
  clock: { now(): number }
}): Connector {
  const wire = openWire(sandboxUrl, tokenCache(clock), clock)
  return {
    definition: definition(sandboxUrl !== undefined),
    operations: {
      approval: (call) => openOrder(wire, call),
      authorize: (call) => (isStoredPayment(call) ? payByStoredAccount : authorize)(wire, call),
      sale: (call) => (isStoredPayment(call) ? payByStoredAccount : sale)(wire, call),
      capture: (call) => capture(wire, call),
      void: (call) => release(wire, call),
      cancel: (call) => cancel(wire, call),
      refund: (call) => refund(wire, call),
    },
    orderProblems,
    find: (call) => (call.operation.kind === 'approval' ? findApproval(wire, call) : findMoney(wire, call)),
    // an order that its buyer approved can be paid again, and needs no closing
    close: (call) => (call.payment?.order ? findMoney(wire, call) : closeStoredPayment(wire, call)),
    async verifyCredentials(call) {
      const answer = await wire.freshToken(call)
      if ('token' in answer) return 'accepted'
      return answer.code === 'invalid_service_credentials' ||
        answer.code === 'insufficient_service_permissions'
        ? 'refused'
        : 'no answer'
    },
    settlementReport,
    offeredReports: (call, since) => offeredReports(wire, clock, call, since),
    readNotification: notificationReader(wire, clock),
    registerNotifications: (call) => registerNotifications(wire, call),
    disputes: {
      submitEvidence: (call, submission) => submitEvidence(wire, call, submission),
      accept: (call, dispute) => acceptDispute(wire, call, dispute),
    },
  }
}
