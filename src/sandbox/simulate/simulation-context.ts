import { badGateway, invalid } from '../../api/errors.ts'
import { readOperations } from '../../operations/journal/journal.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { TransactionRow } from '../../transactions/transaction.row.ts'
import { readTransaction } from '../../transactions/transaction.store.ts'
import { updatableSchemes } from '../../vault/account-updater/account-updater.ts'
import { findNetworkToken, type NetworkTokenRow, networkTokensOf } from '../../vault/network-tokens/network-token.store.ts'
import type { PaymentMethodRow } from '../../vault/payment-methods/payment-method.row.ts'
import { findPaymentMethodRow } from '../../vault/payment-methods/payment-method.store.ts'
import type { World } from '../../world.ts'
import { requestSimulator } from '../request-simulator.ts'
import { type ReportedAmounts, readReportedAmounts } from './reported.store.ts'

/** A transaction with all that decides which events fit it. */
export interface SimulationContext {
  world: World
  simulatorUrl: string
  account: string
  transaction: TransactionRow
  operations: OperationRow[]
  /** What reports have said of it. */
  reported: ReportedAmounts
  /** The stored method that it was paid with; null: none, or it is deleted. */
  method: PaymentMethodRow | null
  /** The scheme's token for that; null: none. */
  token: NetworkTokenRow | null
  /** The schemes whose cards the account updater may be asked about; null: the account has none. */
  updatedSchemes: string[] | null
}

/** Throws 404. */
export async function readSimulationContext(world: World, simulatorUrl: string, account: string, id: string): Promise<SimulationContext> {
  const transaction = await readTransaction(world, account, id)
  const stored = transaction.payment_method?.id
  const method = stored === undefined ? undefined : await findPaymentMethodRow(world, account, stored)
  const token = method && (await networkTokensOf(world, account, method.id)).find(({ status }) => status === 'active' || status === 'suspended')
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

/** What the event cannot be, and nothing has happened. */
export const invalidEvent = (problem: string) => invalid({ '/event': problem })

/** Has something happen at the sandbox's providers. Throws 400 with what they say against it. */
export async function sendToSimulator<T = unknown>(
  { simulatorUrl }: Pick<SimulationContext, 'simulatorUrl'>,
  path: string,
  body: object,
): Promise<T> {
  const { status, said } = await requestSimulator<T>(simulatorUrl, 'POST', path, body)
  if (status >= 500) throw badGateway(`The sandbox's providers failed: ${said.message}`)
  if (status !== 200) throw invalidEvent(`cannot happen: ${said.message}`)
  return said
}
