import { approved, type OperationKind, type SimulatedResult } from './operation.ts'

type AmountRow = readonly [amount: number, code: string]

/** semantics §3.10, decline group: an authorization or a sale of this amount is declined. */
export const declinedAmounts = [
  [200001, 'canceled_payment_method'],
  [200004, 'expired_authorization'],
  [200005, 'expired_payment_method'],
  [200006, 'incorrect_billing_address'],
  [200007, 'incorrect_country'],
  [200008, 'incorrect_currency'],
  [200009, 'incorrect_cvv'],
  [200010, 'incorrect_expiry_date'],
  [200011, 'insufficient_funds'],
  [200012, 'issuer_decline'],
  [200013, 'other_decline'],
  [200015, 'refused_transaction'],
  [200016, 'service_decline'],
  [200017, 'suspected_fraud'],
] as const satisfies readonly AmountRow[]

/** semantics §3.10, failure group: an authorization or a sale of this amount fails. */
export const failedAmounts = [
  [200002, 'disputed_transaction'],
  [200003, 'duplicate_transaction'],
  [200014, 'requires_buyer_authentication'],
  [200018, 'unavailable_payment_method'],
  [200019, 'unknown_payment_method'],
  [200020, 'unsupported_transaction'],
  [200021, 'unsupported_payment_method'],
  [200022, 'cancelled_buyer_approval'],
  [300001, 'insufficient_service_permissions'],
  [300002, 'invalid_amount'],
  [300003, 'invalid_payment_method'],
  [300004, 'invalid_service_configuration'],
  [300005, 'invalid_service_credentials'],
  [300006, 'invalid_service_response'],
  [300007, 'invalid_tax_identifier'],
  [300008, 'missing_billing_address'],
  [300009, 'missing_cvv'],
  [300010, 'missing_shipping_address'],
  [300011, 'missing_tax_identifier'],
  [300012, 'refund_period_expired'],
  [300013, 'service_error'],
  [300014, 'service_network_error'],
  [300015, 'service_rate_limit'],
  [400001, 'internal_error'],
  [400002, 'invalid_billing_address'],
  [400003, 'invalid_operation'],
  [400004, 'invalid_request_parameters'],
  [400005, 'invalid_service_request'],
  [400006, 'invalid_shipping_address'],
  [400007, 'service_resource_conflict'],
  [400008, 'unexpected_state'],
  [400009, 'unknown_error'],
  [400010, 'unknown_service_resource'],
  [400011, 'unsupported_country'],
  [400012, 'unsupported_currency'],
  [400013, 'unrecognised_country'],
  [400014, 'unrecognised_currency'],
  [400015, 'unrecognised_payment_method'],
  [400016, 'unrecognised_scheme'],
  [400017, 'unsupported_scheme'],
] as const satisfies readonly AmountRow[]

/**
 * semantics §3.10, later operations and payouts. Capture, refund, increment and payout compare their own
 * amount, a void the authorized amount. §6.1 gives no code for the increment that fails; `service_error` is
 * ours.
 */
export const followUpAmounts = [
  ['capture', 500001, 'failed', 'service_network_error'],
  ['capture', 500002, 'declined', 'refused_transaction'],
  ['void', 510001, 'failed', 'service_network_error'],
  ['void', 510002, 'declined', 'issuer_decline'],
  ['refund', 520001, 'failed', 'disputed_transaction'],
  ['refund', 520002, 'declined', 'issuer_decline'],
  ['refund', 520003, 'failed', 'service_error'],
  ['refund', 520004, 'failed', 'refund_already_satisfied'],
  ['payout', 530001, 'declined', 'service_decline'],
  ['payout', 530002, 'failed', 'service_error'],
  ['increment', 550002, 'failed', 'service_error'],
] as const satisfies readonly (readonly [OperationKind, number, 'declined' | 'failed', string])[]

/** semantics §6.1: operations that stay pending until a lookup or the provider's notification. */
export const pendingAmounts = [
  ['authorize', 540001],
  ['sale', 540001],
  ['capture', 500003],
  ['void', 510003],
  ['refund', 520005],
  ['payout', 530003],
  ['increment', 550001],
] as const satisfies readonly (readonly [OperationKind, number])[]

/** semantics §6.1: half of it is approved if the caller allows a partial authorization. */
export const partialApprovalAmount = 560001

const amountKey = (kind: OperationKind, amount: number) => `${kind} ${amount}`

const outcomesByAmount = new Map<string, SimulatedResult>([
  ...(['authorize', 'sale'] as const).flatMap((kind) => [
    ...declinedAmounts.map(([amount, code]): [string, SimulatedResult] => [
      amountKey(kind, amount),
      { status: 'declined', code },
    ]),
    ...failedAmounts.map(([amount, code]): [string, SimulatedResult] => [
      amountKey(kind, amount),
      { status: 'failed', code },
    ]),
  ]),
  ...followUpAmounts.map(([kind, amount, status, code]): [string, SimulatedResult] => [
    amountKey(kind, amount),
    { status, code },
  ]),
  ...pendingAmounts.map(([kind, amount]): [string, SimulatedResult] => [
    amountKey(kind, amount),
    { status: 'pending', code: null },
  ]),
])

/** The outcome of an amount; an amount in no table is approved. */
export const outcomeForAmount = (kind: OperationKind, amount: number): SimulatedResult =>
  outcomesByAmount.get(amountKey(kind, amount)) ?? approved

/**
 * The settlement of captured amounts in reports (semantics §0.12 and §4.2); any other amount is settled in
 * full and in its own currency.
 */
export const settlementScenarios = {
  570001: 'charged-back',
  570002: 'charged-back-and-reversed',
  570003: 'in-two-parts',
  570004: 'in-another-currency',
} as const satisfies Readonly<Record<number, string>>
export type SettlementScenario = (typeof settlementScenarios)[keyof typeof settlementScenarios]

const hasSettlementScenario = (amount: number): amount is keyof typeof settlementScenarios =>
  Object.hasOwn(settlementScenarios, amount)

export const settlementScenarioOf = (amount: number): SettlementScenario | undefined =>
  hasSettlementScenario(amount) ? settlementScenarios[amount] : undefined
