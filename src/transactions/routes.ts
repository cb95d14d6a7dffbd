import type { Routes } from '../api/routes.ts'
import { actionRoutes } from './actions/action.routes.ts'
import { approvalSessionRoutes } from './approval/approval-session.routes.ts'
import { challengeRoutes } from './approval/challenge.routes.ts'
import { returnRoutes } from './approval/return.routes.ts'
import { createTransactionRoutes } from './create/create-transaction.routes.ts'
import { disputeRoutes } from './disputes/dispute.routes.ts'
import { notificationRoutes } from './outcome/notification.routes.ts'
import { reviewNotificationRoutes } from './review/review-notification.routes.ts'
import { storeMethodRoutes } from './store-method/store-method.routes.ts'
import { transactionRoutes } from './transaction.routes.ts'
import { captureRoutes } from './views/capture.routes.ts'
import { refundRoutes } from './views/refund.routes.ts'
import { routingDecisionRoutes } from './views/routing-decision.routes.ts'
import { ruleActionRoutes } from './views/rule-action.routes.ts'
import { timelineRoutes } from './views/timeline.routes.ts'

/**
 * `recoverOperation` finds out the outcome of an operation that a payment service's notification is about; it
 * may be a payout, which this folder does not know.
 */
export const routes = (recoverOperation: Parameters<typeof notificationRoutes>[0]): readonly Routes[] => [
  transactionRoutes,
  createTransactionRoutes,
  approvalSessionRoutes,
  returnRoutes,
  challengeRoutes,
  actionRoutes,
  captureRoutes,
  refundRoutes,
  timelineRoutes,
  ruleActionRoutes,
  routingDecisionRoutes,
  storeMethodRoutes,
  disputeRoutes,
  notificationRoutes(recoverOperation),
  reviewNotificationRoutes,
]
