import type { AntiFraudDecision, Screening } from '../../anti-fraud/screening.schema.ts'
import { antiFraudServiceById, type ResolvedService } from '../../anti-fraud/screening-service.ts'
import type { AntiFraudAnswer, ScreenedPayment } from '../../connectors/contract/anti-fraud-connector.ts'
import type { Exchange } from '../../connectors/contract/call.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { recordExchanges } from '../../connectors/wire/record-exchanges.ts'
import { redactor } from '../../connectors/wire/redact.ts'
import type { World } from '../../world.ts'
import type { OperationOutcome, OperationRow } from '../operation.ts'
import type { CheckFindings, SendResult } from './call-result.ts'

/**
 * Shows a payment to the anti-fraud service that its operation names, under the operation's id. Only a clear
 * no stops a payment: without an answer it goes on unscreened (semantics §6.3). `payment` is undefined where
 * nothing is known any more of what was to be shown. Never throws.
 */
export async function sendScreening(
  world: World,
  operation: OperationRow,
  payment: ScreenedPayment | undefined,
): Promise<SendResult> {
  const id = operation.input.anti_fraud_service ?? ''
  let exchanges: Exchange[] = []
  try {
    const known = await antiFraudServiceById(world, operation.merchant_account_id, id)
    const http = instrumentedHttp(world, {
      definition: known?.identity.definition_id ?? 'none',
      operation: 'screening',
    })
    const { request, ...kept } = recordExchanges(http, world.clock, world.ids, redactor(undefined))
    exchanges = kept.exchanges
    const answer =
      known?.connector && payment
        ? await known.connector.screen({ http: request, service: known.service }, payment)
        : notScreened(known)
    return toScreeningResult(operation, known, answer, exchanges)
  } catch (error) {
    world.log.error(
      { err: error, transaction: operation.transaction_id, operation: operation.id },
      'a screening threw: the payment goes on without it',
    )
    return toScreeningResult(
      operation,
      undefined,
      { status: 'exception', reason: 'the check failed' },
      exchanges,
    )
  }
}

const notScreened = (known: ResolvedService | undefined): AntiFraudAnswer => ({
  status: 'exception',
  reason: known?.connector ? 'nothing is known of the payment any more' : 'the service cannot be reached',
})

function toScreeningResult(
  operation: OperationRow,
  known: ResolvedService | undefined,
  answer: AntiFraudAnswer,
  exchanges: Exchange[],
): SendResult {
  const service = known?.identity ?? {
    id: operation.input.anti_fraud_service ?? '',
    name: '',
    definition_id: '',
  }
  const decision: AntiFraudDecision = answer.status === 'decided' ? answer.verdict : 'exception'
  const check_id = answer.status === 'decided' ? answer.checkId : null
  const screening: Screening = { service, decision, check_id }
  return {
    outcome: outcomeOf(operation, screening, answer.reason),
    exchanges,
    findings: { screening, timeline: [screeningEntry(screening, answer.reason, exchanges.at(-1))] },
  }
}

function outcomeOf(
  { amount }: OperationRow,
  { decision, check_id }: Screening,
  reason: string | null,
): OperationOutcome {
  const references = check_id === null ? {} : { operation: check_id }
  const facts = { raw_response_code: decision, ...(reason !== null && { raw_response_description: reason }) }
  if (decision === 'reject') return { status: 'declined', code: 'suspected_fraud', facts, references }
  return { status: 'approved', amount, facts, references }
}

/**
 * How the story tells it (semantics §3.17). That the service was away is an error, although the decision is
 * `skipped` (§6.3).
 */
function screeningEntry(
  { service, decision, check_id }: Screening,
  reason: string | null,
  exchange: Exchange | undefined,
): CheckFindings['timeline'][number] {
  const named = {
    anti_fraud_service_id: service.id,
    anti_fraud_service_name: service.name,
    anti_fraud_service_definition_id: service.definition_id,
  }
  const status_code = exchange?.status ?? null
  const answered = status_code !== null && status_code < 300
  if (decision === 'skipped' && answered)
    return { name: 'anti-fraud-decision-skipped', context: { ...named, reason } }
  if (decision === 'skipped' || decision === 'error' || decision === 'exception')
    return { name: 'anti-fraud-decision-error', context: { ...named, status_code, decision, reason } }
  return {
    name: 'anti-fraud-decision',
    context: {
      ...named,
      anti_fraud_check_id: check_id,
      request: exchange?.request ?? null,
      response: exchange?.response ?? null,
      response_status_code: status_code,
      decision,
    },
  }
}
