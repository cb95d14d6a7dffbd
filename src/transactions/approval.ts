import { setTimeout as wait } from 'node:timers/promises'
import { gatewayTimeout, invalidQuery, notApprovedYet } from '../api/errors.ts'
import type { Outcome } from '../connectors/connector.ts'
import { lookUp, type Performed } from '../operations/call.ts'
import { readOperations } from '../operations/journal.ts'
import { asksBuyer, isOpen, type OperationRow } from '../operations/operation.ts'
import type { World } from '../world.ts'
import { carryOut, paymentContext, performable } from './carry-out.ts'
import { conclude, type Step } from './outcome.ts'
import { equal } from './return-url.ts'
import type { TransactionRow } from './transaction.row.ts'
import { readTransaction } from './transaction.store.ts'

/**
 * Goes on with a payment whose buyer is said to have approved it (SPEC §4.11, completion): asks the payment service whether that is so, and
 * makes the money step. Once for a payment, however often and by whomever it is asked; who comes later gets what became of it. `token` is what
 * the buyer's page was given, undefined where nobody claims to have one. Throws 425 while the buyer has not approved, 400 for a token that is not theirs, 504 when the payment
 * service does not answer.
 */
export async function completeApproval(world: World, account: string, id: string, token?: { value: string | null }): Promise<TransactionRow> {
  const step = await openApproval(world, account, id)
  if (!step) return decided(world, account, id)
  const found = await ask(world, step)
  if (found.outcome.status === 'pending') throw notApprovedYet()
  if (found.outcome.status === 'approved') checkToken(found.outcome, token)
  const concluded = await carryOut(world, step, {}, found)
  return concluded.applied ? concluded.transaction : decided(world, account, id)
}

/** The buyer turned back, or somebody else decided that it ends. No money has moved, and none will: what they may still approve elsewhere is never completed. */
export async function abandonApproval(world: World, account: string, id: string, outcome: Outcome = turnedBack): Promise<TransactionRow> {
  const step = await openApproval(world, account, id)
  if (step) await conclude(world, step, { outcome, exchanges: [] })
  return decided(world, account, id)
}

const turnedBack: Outcome = { status: 'failed', code: 'cancelled_buyer_approval', facts: {}, references: {} }

/** The approval that the transaction waits for; undefined where it waits for none. */
async function openApproval(world: World, account: string, id: string): Promise<Step | undefined> {
  const transaction = await readTransaction(world, account, id)
  if (transaction.status !== 'buyer_approval_pending' || transaction.active_operation_id) return undefined
  const isWaiting = (operation: OperationRow) => asksBuyer(operation) && isOpen(operation.status)
  const operation = (await readOperations(world, account, id)).findLast(isWaiting)
  return operation && { transaction, operation }
}

async function ask(world: World, step: Step): Promise<Performed> {
  const payment = await paymentContext(world, step.transaction, step.operation)
  const { finding, exchanges, findings } = await lookUp(world, performable(step, payment), 'find')
  if (typeof finding === 'string') throw gatewayTimeout()
  return { outcome: finding.found, exchanges, ...(findings && { findings }) }
}

/** Where the approval has a token, only who was given it may complete the payment: its page, not a stranger's. */
function checkToken({ buyer }: Extract<Outcome, { status: 'approved' }>, token: { value: string | null } | undefined): void {
  if (!token || !buyer?.token) return
  if (token.value === null) throw invalidQuery('authorization_token', 'is required')
  if (!equal(buyer.token, token.value)) throw invalidQuery('authorization_token', 'is not the token of this payment’s approval')
}

const PATIENCE_MS = 10_000

/** The transaction when nothing is under way on it any more, or as it stands after a while. */
async function decided(world: World, account: string, id: string): Promise<TransactionRow> {
  const patient = performance.now() + PATIENCE_MS
  for (let pause = 10; ; pause = Math.min(pause * 2, 250)) {
    const row = await readTransaction(world, account, id)
    if (!row.active_operation_id || performance.now() > patient) return row
    await wait(pause)
  }
}
