import type { OperationKind, PaymentContext, StoredCredential } from '../connectors/contract/call.ts'
import type { Connector } from '../connectors/contract/connector.ts'
import type { ConnectorUnderTest } from './fake-provider.ts'
import { type Harness, openHarness, type SuiteOperation } from './harness.ts'
import {
  idsAfter,
  newOperation,
  newPayment,
  newPayout,
  noPayment,
  type OperationOptions,
  type PaymentIds,
} from './payment.ts'
import { send, settle } from './play.ts'

/** Thrown where a scenario cannot begin; a check reports it. */
export class SetupFailed extends Error {}

/** A connector, its provider with empty books, and every operation that was begun. */
export interface Scenario {
  connector: Connector
  underTest: ConnectorUnderTest
  harness: Harness
  operations: SuiteOperation[]
}

export const openScenario = (connector: Connector, underTest: ConnectorUnderTest): Scenario => ({
  connector,
  underTest,
  harness: openHarness(connector, underTest),
  operations: [],
})

export const isPaymentKind = (kind: OperationKind): kind is 'authorize' | 'sale' =>
  kind === 'authorize' || kind === 'sale'

/** How a payment that is paid at once begins: with a sale, else with an authorization. */
export const openingKind = ({ operations }: Connector): 'authorize' | 'sale' =>
  operations.authorize ? 'authorize' : 'sale'

/** A new authorization or sale. A buyer who has to approve first has done so; a stored token asks no buyer. */
export async function beginPayment(
  scenario: Scenario,
  kind: 'authorize' | 'sale',
  more: Partial<PaymentContext>,
  options: OperationOptions = {},
): Promise<SuiteOperation> {
  const { connector, harness } = scenario
  if (!connector.operations.approval || more.instrument?.serviceToken !== undefined)
    return beginMoneyStep(scenario, kind, noPayment, more, options)
  const approval = beginApproval(scenario, kind, more, options)
  return continueApproval(scenario, kind, await settle(harness, approval), more, options)
}

function beginMoneyStep(
  scenario: Scenario,
  kind: 'authorize' | 'sale',
  ids: PaymentIds,
  more: Partial<PaymentContext>,
  options: OperationOptions,
): SuiteOperation {
  const operation = newOperation(scenario, kind, ids, options)
  const begun = newPayment(scenario.connector.definition, operation, more)
  scenario.operations.push(begun)
  return begun
}

/** The buyer's approval, which moves no money. `kind`: the money step that is to follow it. */
export function beginApproval(
  scenario: Scenario,
  kind: 'authorize' | 'sale',
  more: Partial<PaymentContext>,
  options: OperationOptions = {},
): SuiteOperation {
  const operation = newOperation(scenario, 'approval', noPayment, options)
  const opened = newPayment(scenario.connector.definition, operation, more)
  if (opened.payment?.order) opened.payment.order.intent = kind === 'sale' ? 'capture' : 'authorize'
  scenario.operations.push(opened)
  return opened
}

/** The money step after the buyer's approval. */
export function continueApproval(
  scenario: Scenario,
  kind: 'authorize' | 'sale',
  approval: SuiteOperation,
  more: Partial<PaymentContext>,
  options: OperationOptions = {},
): SuiteOperation {
  const { outcome, payment } = approval
  if (outcome?.status !== 'approved') throw setupFailed(approval)
  const token = outcome.buyer?.token
  return beginMoneyStep(
    scenario,
    kind,
    idsAfter(noPayment, outcome),
    {
      ...more,
      ...(payment?.order && { order: payment.order }),
      ...(token && { instrument: { ...more.instrument, approvalToken: token } }),
    },
    options,
  )
}

/** An operation of this kind that the payment before it allows; it is not sent yet. */
export async function beginOperation(
  scenario: Scenario,
  kind: OperationKind,
  options: OperationOptions = {},
): Promise<SuiteOperation> {
  const { connector, underTest, operations } = scenario
  const { approved } = underTest.instruments
  if (kind === 'approval') return beginApproval(scenario, openingKind(connector), approved, options)
  if (isPaymentKind(kind)) return beginPayment(scenario, kind, approved, options)
  if (kind === 'payout') {
    const payout = newPayout(underTest, newOperation(scenario, kind, noPayment, options))
    operations.push(payout)
    return payout
  }
  return beginFollowUp(scenario, kind, await paymentBefore(scenario, kind), options)
}

/** An operation on a payment. */
export function beginFollowUp(
  scenario: Scenario,
  kind: Exclude<OperationKind, 'approval' | 'authorize' | 'sale' | 'payout'>,
  ids: PaymentIds,
  options: OperationOptions = {},
): SuiteOperation {
  const begun = { operation: newOperation(scenario, kind, ids, options) }
  scenario.operations.push(begun)
  return begun
}

/** The payment that an operation of this kind is made on. */
export async function paymentBefore(
  scenario: Scenario,
  kind: Exclude<OperationKind, 'approval' | 'authorize' | 'sale' | 'payout'>,
): Promise<PaymentIds> {
  const { connector } = scenario
  if (kind === 'cancel') return pendingPayment(scenario)
  if (kind === 'refund') return capturedPayment(scenario)
  if (!connector.operations.authorize) throw new SetupFailed(`${kind} needs the operation authorize`)
  return (await approvedPayment(scenario, 'authorize')).ids
}

/** An authorization or a sale that the provider has approved. */
export async function approvedPayment(
  scenario: Scenario,
  kind: 'authorize' | 'sale',
  options: OperationOptions = {},
): Promise<{ ids: PaymentIds; begun: SuiteOperation }> {
  const begun = await beginPayment(scenario, kind, scenario.underTest.instruments.approved, options)
  await settle(scenario.harness, begun)
  if (begun.outcome?.status !== 'approved') throw setupFailed(begun)
  return { ids: idsAfter(begun.operation, begun.outcome), begun }
}

/**
 * Stores the approved instrument with a payment of `amount`; answers what a payment that the merchant initiates
 * later pays with. Undefined: the provider gave no token.
 */
export async function storeInstrument(
  scenario: Scenario,
  kind: 'authorize' | 'sale',
  amount?: number,
): Promise<Pick<PaymentContext, 'instrument' | 'storedCredential'> | undefined> {
  const storing = {
    ...scenario.underTest.instruments.approved,
    storesInstrument: true,
    storedCredential: agreement('customer', 'first', null),
  }
  const begun = await beginPayment(scenario, kind, storing, amount === undefined ? {} : { amount })
  await settle(scenario.harness, begun)
  const { outcome } = begun
  if (outcome?.status !== 'approved') throw setupFailed(begun)
  const { storedToken, facts } = outcome
  return storedToken === undefined
    ? undefined
    : {
        instrument: { serviceToken: storedToken },
        storedCredential: agreement('merchant', 'subsequent', facts.scheme_transaction_id ?? null),
      }
}

const agreement = (
  initiator: StoredCredential['initiator'],
  usage: StoredCredential['usage'],
  schemeTransactionId: string | null,
): StoredCredential => ({
  initiator,
  usage,
  reason: 'card_on_file',
  schemeTransactionId,
  transactionLinkId: null,
})

/** A payment whose money is captured. */
export async function capturedPayment(
  scenario: Scenario,
  options: OperationOptions = {},
): Promise<PaymentIds> {
  const { connector, harness } = scenario
  const { ids } = await approvedPayment(scenario, connector.operations.sale ? 'sale' : 'authorize', options)
  if (connector.operations.sale) return ids
  const capture = await settle(harness, beginFollowUp(scenario, 'capture', ids, options))
  if (capture.outcome?.status !== 'approved') throw setupFailed(capture)
  return idsAfter(ids, capture.outcome)
}

/** A payment that its provider, or its buyer, has not decided. */
async function pendingPayment(scenario: Scenario): Promise<PaymentIds> {
  const { connector, underTest, harness } = scenario
  const { approved, challenged, pending } = underTest.instruments
  if (connector.operations.approval) {
    const opened = beginApproval(scenario, openingKind(connector), approved)
    await send(harness, opened)
    if (opened.outcome?.status === 'pending') return idsAfter(noPayment, opened.outcome)
    throw setupFailed(opened, 'pending')
  }
  const { amount, ...more } = pending ?? { ...(challenged ?? approved), amount: undefined }
  const options = amount === undefined ? {} : { amount }
  const begun = await beginPayment(scenario, openingKind(connector), more, options)
  await send(harness, begun)
  if (begun.outcome?.status === 'pending') return idsAfter(begun.operation, begun.outcome)
  throw new SetupFailed('no instrument leaves a payment pending: name one as `pending`')
}

const setupFailed = ({ operation, outcome }: SuiteOperation, wanted = 'approved'): SetupFailed =>
  new SetupFailed(`the ${operation.kind} before it is ${describe(outcome)}, not ${wanted}`)

/** An outcome in one line. */
export function describe(outcome: SuiteOperation['outcome']): string {
  if (!outcome) return 'open'
  if (outcome.status === 'unknown') return `unknown (${outcome.reason})`
  return 'code' in outcome ? `${outcome.status} (${outcome.code})` : outcome.status
}
