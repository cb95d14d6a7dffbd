import type { ReportSpecModel } from '../report.schema.ts'
import { accountsReceivablesModel } from './accounts-receivables.model.ts'
import { detailedSettlementModel } from './detailed-settlement.model.ts'
import type { ReportModel } from './model.ts'
import { paymentPerformanceModel } from './payment-performance.model.ts'
import { transactionRetriesModel } from './transaction-retries.model.ts'
import { transactionsModel } from './transactions.model.ts'

/** Every kind of report (semantics §16.6). */
export const models: Record<ReportSpecModel, ReportModel> = {
  transactions: transactionsModel,
  transaction_retries: transactionRetriesModel,
  detailed_settlement: detailedSettlementModel,
  accounts_receivables: accountsReceivablesModel,
  ai_insights: paymentPerformanceModel,
}
