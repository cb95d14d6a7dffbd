import { orNotFound } from '../api/errors.ts'
import { timeOf } from '../base/clock.ts'
import type { Exchange } from '../connectors/contract/call.ts'
import { verifyLinks } from '../database/logs/verify-chain.ts'
import { timestamp, timestampOrNull } from '../database/timestamp.ts'
import { journalChain } from '../operations/journal/journal-chain.ts'
import { readNotices } from '../operations/journal/notices.ts'
import { readOperations } from '../operations/journal/read-operations.ts'
import { exchangesOf, isBookkeepingKind, isOpen, type OperationRow } from '../operations/operation.ts'
import { paymentServices } from '../payment-services/payment-service.store.ts'
import type { World } from '../world.ts'
import type { TransactionProof } from './proof.schema.ts'
import { readJournaledTransaction } from './read-transactions.ts'
import { transactionFindings } from './transaction-findings.ts'

type ProofOperation = TransactionProof['operations'][number]

/**
 * The journal of one payment and its verification: the payment computed again from its operations, and the
 * links of the journal's chain that cover them. Throws 404 if the account has no such payment.
 */
export async function provePayment(world: World, account: string, id: string): Promise<TransactionProof> {
  const transaction = orNotFound(await readJournaledTransaction(world.run, account, id))
  const operations = await readOperations(world, account, id)
  const services = await paymentServices(world, account)
  const nameOf = (service: string | null) =>
    services.find((each) => each.id === service)?.display_name ?? null
  const shown = await Promise.all(
    operations.map(async (operation) => ({
      ...showOperation(operation),
      payment_service_display_name: nameOf(operation.payment_service_id),
      outcome_by: await outcomeProof(world, operation, transaction.payment_service_transaction_id),
    })),
  )
  const findings = transactionFindings(transaction)
  const positions = operations.flatMap(({ journal_position }) => journal_position ?? [])
  const chain = await verifyLinks(world.run, world.cipher, journalChain, account, positions)
  return {
    type: 'transaction-proof',
    transaction_id: id,
    operations: shown,
    consistent: findings.length + chain.findings.length === 0,
    findings: findings.map(({ problem, stored, computed }) => ({ problem, stored, computed })),
    chain: {
      intact: chain.findings.length === 0,
      links: chain.links,
      unsealed_operations: chain.unsealed,
      problems: chain.findings.map(({ link, problem }) => `link ${link} ${problem}`),
    },
    checked_at: timestamp(timeOf(world.clock)),
  }
}

function showOperation(
  operation: OperationRow,
): Omit<ProofOperation, 'payment_service_display_name' | 'outcome_by'> {
  const exchanges = exchangesOf(operation)
  const answered = exchanges.findLast(({ status }) => status !== null)
  return {
    type: 'transaction-proof-operation',
    id: operation.id,
    // a payout has no transaction
    kind: operation.kind as ProofOperation['kind'],
    status: operation.status,
    amount: operation.amount,
    effective_amount: operation.effective_amount,
    currency: operation.currency,
    payment_service_id: operation.payment_service_id,
    payment_service_operation_id: operation.payment_service_operation_id,
    idempotency_key: isBookkeepingKind(operation.kind) ? null : operation.id,
    intended_at: timestamp(operation.created_at),
    sent_at: timestampOrNull(exchanges.find(isRequest)?.started_at ?? null),
    answered_at: timestampOrNull(answered?.ended_at ?? null),
    decided_at: timestampOrNull(operation.settled_at),
    look_ups: operation.checks,
    next_look_up_at: timestampOrNull(operation.check_at),
    error_code: operation.late_failure?.code ?? operation.error_code,
    raw_response_code: operation.facts.raw_response_code ?? null,
    calls: exchanges.map((exchange) => ({
      id: exchange.id,
      look_up: !isRequest(exchange),
      method: exchange.method,
      url: exchange.url,
      response_status_code: exchange.status,
      sent_at: timestamp(exchange.started_at),
      ended_at: timestamp(exchange.ended_at),
    })),
  }
}

/** It sent the operation. Versions before `look_up` did not mark look-ups, most of which are a GET. */
const isRequest = ({ look_up, method }: Exchange): boolean => !look_up && method !== 'GET'

/** What the outcome follows from. A notification proves it only where the payment service cannot be asked. */
async function outcomeProof(
  world: World,
  operation: OperationRow,
  payment: string | null,
): Promise<ProofOperation['outcome_by']> {
  const { kind, status, settled_at: decided } = operation
  if (isOpen(status) || decided === null) return null
  if (kind === 'correction') return 'correction'
  if (kind === 'late-failure') return 'look_up'
  // a late look-up comes after the decision
  const last = exchangesOf(operation).findLast(
    ({ started_at }) => Date.parse(started_at) <= Date.parse(decided),
  )
  if (last && !isRequest(last)) return 'look_up'
  const notices = operation.payment_service_id ? await readNotices(world, operation, payment) : []
  const isNoticed = notices.some(
    ({ received_at: at }) =>
      Date.parse(at) <= Date.parse(decided) && (!last || Date.parse(at) >= Date.parse(last.ended_at)),
  )
  if (isNoticed) return 'notification'
  return last ? 'answer' : 'nothing_sent'
}
