import type {
  AccountClockTable,
  AccountShardTable,
  ApiKeyPairTable,
  AuditEntryTable,
  MerchantAccountTable,
  NetworkTokenIdentifierTable,
  PasskeyChallengeTable,
  SavedViewTable,
  SealTable,
  SignInLinkTable,
  UserInvitationTable,
  UserPasskeyTable,
  UserSessionTable,
  UserTable,
} from './tables/accounts.ts'
import type { ApprovalPolicyTable, ProposalDecisionTable, ProposalTable } from './tables/approvals.ts'
import type {
  AgenticCheckoutTable,
  AgenticSellerTable,
  ApplePayCertificateTable,
  CheckoutSessionTable,
  DelegatedPaymentTable,
  DigitalWalletTable,
  ElementsConfigurationTable,
  UsedWalletTokenTable,
} from './tables/checkout.ts'
import type { DisputeTable } from './tables/disputes.ts'
import type {
  EventLogMarkTable,
  EventSequenceTable,
  EventTable,
  WebhookDeliveryTable,
  WebhookQueueTable,
  WebhookSubscriptionTable,
} from './tables/events.ts'
import type { PageIncidentTable } from './tables/hosted-pages.ts'
import type { InsightHourTable, InsightPresetTable, InsightProgressTable } from './tables/insights.ts'
import type {
  MonitoringIncidentTable,
  MonitoringMetricTable,
  MonitoringSampleTable,
} from './tables/monitoring.ts'
import type { PaymentLinkTable } from './tables/payment-links.ts'
import type {
  HeldInstrumentTable,
  IdempotencyKeyTable,
  OperationTable,
  SecurityCodeTable,
  TransactionEventTable,
  TransactionTable,
} from './tables/payments.ts'
import type { PayoutTable } from './tables/payouts.ts'
import type { BuyerErasureTable } from './tables/privacy.ts'
import type {
  PaymentServiceReportCheckTable,
  PaymentServiceReportFileTable,
  PaymentServiceReportTable,
  SettlementTable,
  UnmatchedReportLineTable,
} from './tables/reconciliation.ts'
import type { WalHistoryTable } from './tables/replicas.ts'
import type { ReportChunkTable, ReportExecutionTable, ReportTable } from './tables/reports.ts'
import type { ArchivedFileTable, RetiredLinkTable, RetirementTable } from './tables/retention.ts'
import type {
  AntiFraudServiceTable,
  FlowRulesetTable,
  GiftCardServiceTable,
  PaymentServiceCircuitTable,
  PaymentServiceTable,
  ThreeDSecureConfigurationTable,
  ThreeDSecureScenarioTable,
} from './tables/services.ts'
import type { SpendingLimitTable, SpendingUsageTable } from './tables/spending-limits.ts'
import type {
  AccountUpdaterInquiryTable,
  BinTable,
  BuyerTable,
  CardReplacementTable,
  EncryptionCheckTable,
  EncryptionKeyTable,
  GiftCardIssuanceTable,
  GiftCardTable,
  InstanceEnvironmentTable,
  NetworkTokenTable,
  PaymentMethodTable,
  PaymentServiceTokenTable,
  RootSecretTable,
  ServiceProcessTable,
  ShippingDetailsTable,
  VaultPassTable,
} from './tables/vault.ts'

/** Rows as queries return them: timestamps as ISO text, amounts as numbers, JSON parsed. */
export interface Tables {
  encryption_check: EncryptionCheckTable
  instance_environment: InstanceEnvironmentTable
  root_secret: RootSecretTable
  vault_passes: VaultPassTable
  service_processes: ServiceProcessTable
  encryption_keys: EncryptionKeyTable
  merchant_accounts: MerchantAccountTable
  account_shards: AccountShardTable
  approval_policies: ApprovalPolicyTable
  proposals: ProposalTable
  proposal_decisions: ProposalDecisionTable
  account_clocks: AccountClockTable
  network_token_identifiers: NetworkTokenIdentifierTable
  api_key_pairs: ApiKeyPairTable
  users: UserTable
  user_sessions: UserSessionTable
  user_invitations: UserInvitationTable
  sign_in_links: SignInLinkTable
  user_passkeys: UserPasskeyTable
  passkey_challenges: PasskeyChallengeTable
  payment_services: PaymentServiceTable
  transactions: TransactionTable
  operations: OperationTable
  idempotency_keys: IdempotencyKeyTable
  spending_limits: SpendingLimitTable
  spending_usage: SpendingUsageTable
  transaction_events: TransactionEventTable
  events: EventTable
  disputes: DisputeTable
  event_sequences: EventSequenceTable
  event_log_marks: EventLogMarkTable
  audit_entries: AuditEntryTable
  audit_seals: SealTable
  journal_seals: SealTable
  webhook_subscriptions: WebhookSubscriptionTable
  webhook_queues: WebhookQueueTable
  webhook_deliveries: WebhookDeliveryTable
  buyers: BuyerTable
  shipping_details: ShippingDetailsTable
  payment_methods: PaymentMethodTable
  network_tokens: NetworkTokenTable
  payment_service_tokens: PaymentServiceTokenTable
  card_replacements: CardReplacementTable
  account_updater_inquiries: AccountUpdaterInquiryTable
  payment_service_circuits: PaymentServiceCircuitTable
  digital_wallets: DigitalWalletTable
  apple_pay_certificates: ApplePayCertificateTable
  used_wallet_tokens: UsedWalletTokenTable
  gift_card_services: GiftCardServiceTable
  anti_fraud_services: AntiFraudServiceTable
  gift_cards: GiftCardTable
  gift_card_issuances: GiftCardIssuanceTable
  bins: BinTable
  checkout_sessions: CheckoutSessionTable
  delegated_payments: DelegatedPaymentTable
  agentic_sellers: AgenticSellerTable
  agentic_checkouts: AgenticCheckoutTable
  elements_configurations: ElementsConfigurationTable
  security_codes: SecurityCodeTable
  held_instruments: HeldInstrumentTable
  three_d_secure_configurations: ThreeDSecureConfigurationTable
  three_d_secure_scenarios: ThreeDSecureScenarioTable
  flow_rulesets: FlowRulesetTable
  payment_links: PaymentLinkTable
  payouts: PayoutTable
  buyer_erasures: BuyerErasureTable
  reports: ReportTable
  report_executions: ReportExecutionTable
  report_chunks: ReportChunkTable
  monitoring_metrics: MonitoringMetricTable
  monitoring_incidents: MonitoringIncidentTable
  page_incidents: PageIncidentTable
  monitoring_samples: MonitoringSampleTable
  saved_views: SavedViewTable
  insight_hours: InsightHourTable
  insight_progress: InsightProgressTable
  insight_presets: InsightPresetTable
  payment_service_reports: PaymentServiceReportTable
  payment_service_report_files: PaymentServiceReportFileTable
  settlements: SettlementTable
  unmatched_report_lines: UnmatchedReportLineTable
  payment_service_report_checks: PaymentServiceReportCheckTable
  wal_histories: WalHistoryTable
  retirements: RetirementTable
  retired_links: RetiredLinkTable
  archived_files: ArchivedFileTable
}
