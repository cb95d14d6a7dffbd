import type { Tool } from '../tool.ts'
import { checkHealth } from './check-health.ts'
import { readDocument, searchDocumentation } from './documentation.ts'
import { explainPayment } from './explain/explain-payment.ts'
import { findPayments } from './find-payments.ts'
import { getInsights } from './get-insights.ts'
import { getReconciliation } from './get-reconciliation.ts'
import { getRoutingRules } from './get-routing-rules.ts'
import { capturePayment } from './money/capture-payment.ts'
import { createPaymentLink } from './money/create-payment-link.ts'
import { draftRoutingRules } from './money/draft-routing-rules.ts'
import { getProposal } from './money/get-proposal.ts'
import { refundPayment } from './money/refund-payment.ts'
import { voidPayment } from './money/void-payment.ts'

/** Every tool, in the order in which clients list them. */
export const tools: readonly Tool[] = [
  findPayments,
  explainPayment,
  refundPayment,
  capturePayment,
  voidPayment,
  createPaymentLink,
  getProposal,
  getRoutingRules,
  draftRoutingRules,
  getInsights,
  checkHealth,
  getReconciliation,
  searchDocumentation,
  readDocument,
]

/** The scopes that the tools need: a token with these, and no others, opens all of them. */
export const toolScopes = (chosen: readonly Tool[]): string[] =>
  [...new Set(chosen.flatMap(({ scopes }) => scopes))].toSorted()

export const readTools: readonly Tool[] = tools.filter(({ annotations }) => annotations.readOnlyHint)
