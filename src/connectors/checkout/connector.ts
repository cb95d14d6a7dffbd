import type { Connector } from '../contract/connector.ts'
import { verifyCredentials } from './credentials.ts'
import { definition } from './definition.ts'
import { acceptDispute, submitEvidence } from './disputes.ts'
import type { CheckoutOptions } from './environment.ts'
import { find } from './find.ts'
import { readNotification } from './notification.ts'
import { pay } from './payment.ts'
import { payOut } from './payout.ts'
import { registerNotifications } from './registration.ts'
import { offeredReports, settlementReport } from './settlement-report.ts'
import { takeStep } from './step.ts'

/** Cards at Checkout.com. */
export const checkoutCard = (options: CheckoutOptions): Connector => ({
  definition: definition(options),
  operations: {
    authorize: (call) => pay(options, call),
    sale: (call) => pay(options, call),
    capture: (call) => takeStep(options, call),
    void: (call) => takeStep(options, call),
    increment: (call) => takeStep(options, call),
    refund: (call) => takeStep(options, call),
    payout: (call) => payOut(options, call),
  },
  find: (call) => find(options, call),
  // a payment or payout that Checkout.com does not have after the margin has never arrived there
  close: (call) => find(options, call),
  findReadsPayment: ['capture', 'void', 'increment', 'refund'],
  verifyCredentials: (call) => verifyCredentials(options, call),
  readNotification: async (call, message) => readNotification(call, message),
  registerNotifications: (call) => registerNotifications(options, call),
  settlementReport,
  offeredReports: (call, since) => offeredReports(options, call, since),
  disputes: {
    submitEvidence: (call, submission) => submitEvidence(options, call, submission),
    accept: (call, dispute) => acceptDispute(options, call, dispute),
  },
})
