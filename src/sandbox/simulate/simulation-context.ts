import { badGateway, invalid } from '../../api/errors.ts'
import { readOperations } from '../../operations/journal/read-operations.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { TransactionRow } from '../../transactions/transaction.row.ts'
import { readTransaction } from '../../transactions/transaction.store.ts'
import { updatableSchemes } from '../../vault/account-updater/account-updater.ts'
import {
  findNetworkToken,
  type NetworkTokenRow,
  networkTokensOf,
} from '../../vault/network-tokens/network-token.store.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import { findPaymentMethodRow } from '../../vault/payment-methods/payment-method.store.ts'
import type { World } from '../../world.ts'
import { requestSimulator } from '../request-simulator.ts'
import { type ReportedAmounts, readReportedAmounts } from './reported.store.ts'

/** A transaction with everything that decides which events fit it. */
export interface SimulationContext {
  world: World
  simulatorUrl: string
  account: string
  transaction: TransactionRow
  operations: OperationRow[]
  /** The amounts in its report lines. */
  reported: ReportedAmounts
  /** The stored payment method that it was paid with; null: none, or it is deleted. */
  method: PaymentMethodRow | null
  /** The network token of the stored card; null: none. */
  token: NetworkTokenRow | null
  /** The schemes whose cards the account updater can update; null: the account has none. */
  updatedSchemes: string[] | null
}

/** Reads the context of a transaction. Throws 404. */
export async function readSimulationContext(
  world: World,
  simulatorUrl: string,
  account: string,
  id: string,
): Promise<SimulationContext> {
  const transaction = await readTransaction(world, account, id)
  const stored = transaction.payment_method?.id
  const method = stored === undefined ? undefined : await findPaymentMethodRow(world, account, stored)
  const token =
    method &&
    (await networkTokensOf(world, account, method.id)).find(
      ({ status }) => status === 'active' || status === 'suspended',
    )
  return {
    world,
    simulatorUrl,
    account,
    transaction,
    operations: await readOperations(world, account, id),
    reported: await readReportedAmounts(world, account, id),
    method: method ?? null,
    token: (token && (await findNetworkToken(world, account, token.id))) ?? null,
    updatedSchemes: (await updatableSchemes(world, account)) ?? null,
  }
}

/** The error for an event that does not fit; nothing has happened. */
export const invalidEvent = (problem: string) => invalid({ '/event': problem })

/** Sends a control request to the sandbox's providers. Throws 400 with the reason of their refusal. */
export async function sendToSimulator<T = unknown>(
  { simulatorUrl }: Pick<SimulationContext, 'simulatorUrl'>,
  path: string,
  body: object,
): Promise<T> {
  const { status, answer } = await requestSimulator<T>(simulatorUrl, 'POST', path, body)
  if (status >= 500) throw badGateway(`The sandbox's providers failed: ${answer.message}`)
  if (status !== 200) throw invalidEvent(`cannot happen: ${answer.message}`)
  return answer
}
