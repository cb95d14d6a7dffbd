import { version } from '../api/openapi/openapi.ts'
import { timestamp } from '../database/timestamp.ts'
import { exchangesOf, isCompensation, type OperationRow } from '../operations/operation.ts'
import type { World } from '../world.ts'
import { CAPSULE_VERSION, type Capsule, type CapsuleAction } from './capsule.schema.ts'
import { type CapsuleRows, readCapsuleRows } from './capsule.store.ts'
import { issuerExchanges } from './issuer-exchanges.ts'
import { capsuleRedactor } from './redact.ts'
import { resultOf, shownEntries } from './result.ts'

/** Everything that determined a payment; undefined: the account has no such payment. */
export async function exportCapsule(
  world: Pick<World, 'run'>,
  account: string,
  id: string,
): Promise<Capsule | undefined> {
  const rows = await readCapsuleRows(world, account, id)
  return rows && toCapsule(rows)
}

function toCapsule(rows: CapsuleRows): Capsule {
  const { transaction, operations, entries, services, rulesets, antiFraud } = rows
  const screening = operations.find(({ kind }) => kind === 'screening')?.input.anti_fraud_service
  const screener = screening === undefined ? undefined : antiFraud[screening]
  const giftCards = transaction.gift_cards
  const { buyer, shipping_details, metadata, external_identifier, ip_address, details } = transaction
  const { statement_descriptor, description, cart_items, recipient, browser_info, airline } = details
  const { redactMetadata, redactRule, redactText, redactAnswer } = capsuleRedactor([
    buyer,
    shipping_details,
    metadata,
    external_identifier,
    ip_address,
    [statement_descriptor, description, cart_items, recipient, browser_info, airline],
    operations.map(({ input }) => [input.reason, input.external_identifier, input.creator]),
  ])
  return {
    format: 'railyard-capsule',
    version: CAPSULE_VERSION,
    railyard: version,
    payment_services: services.map((service) => ({
      id: service.id,
      definition: service.payment_service_definition_id,
      active: service.active && service.deleted_at === null,
      accepted_currencies: service.accepted_currencies,
      accepted_countries: service.accepted_countries,
      three_d_secure_enabled: service.three_d_secure_enabled,
      open_loop: service.open_loop,
      fields: service.fields.map(({ key, value }) => ({ key, value: redactText(value) })),
    })),
    ...(screener !== undefined && { anti_fraud_service: screener }),
    ...(giftCards && { gift_card_service: giftCards.service.gift_card_service_definition_id }),
    rules: rulesets.map(({ flow, version: number, rules }) => ({
      flow,
      version: number,
      rules: rules.map(({ action, active, condition, outcome }, index) => ({
        display_name: `Rule ${index + 1}`,
        action,
        active,
        condition: redactRule(condition),
        outcome: redactRule(outcome),
      })),
    })),
    created_at: timestamp(transaction.created_at),
    payment: {
      // an increment has changed that of the transaction
      amount: operations[0] && !giftCards ? operations[0].amount : transaction.amount,
      currency: transaction.currency,
      ...(transaction.country !== null && { country: transaction.country }),
      intent: transaction.intent,
      payment_source: transaction.payment_source,
      merchant_initiated: transaction.merchant_initiated,
      is_subsequent_payment: transaction.is_subsequent_payment,
      ...(metadata && { metadata: redactMetadata(metadata) }),
      ...(details.payment_service_id != null && { payment_service_id: details.payment_service_id }),
      ...(details.allow_partial_authorization != null && {
        allow_partial_authorization: details.allow_partial_authorization,
      }),
      ...(details.async_capture != null && { async_capture: details.async_capture }),
      ...(details.installment_count != null && { installment_count: details.installment_count }),
      ...(giftCards && { gift_cards: giftCards.redemptions.map(({ amount }) => ({ amount })) }),
      scheme: transaction.payment_method?.scheme ?? null,
      method: transaction.method,
    },
    actions: actionsOf(operations),
    operations: operations.map((operation) => ({
      id: operation.id,
      kind: operation.kind,
      status: operation.status,
      amount: operation.amount,
      effective_amount: operation.effective_amount,
      error_code: operation.error_code,
      payment_service_id: operation.payment_service_id,
      created_at: timestamp(operation.created_at),
      exchanges: [...exchangesOf(operation), ...issuerExchanges(operation, entries)].map((exchange) => ({
        method: exchange.method,
        path: redactText(pathOf(exchange.url)),
        status: exchange.status,
        response: redactAnswer(exchange.response),
        started_at: timestamp(exchange.started_at),
        ended_at: timestamp(exchange.ended_at),
      })),
    })),
    notifications: entries
      .filter(({ name }) => name === 'payment-connector-transaction-webhook-processed')
      .map(({ created_at }) => timestamp(created_at)),
    timeline: shownEntries(entries),
    result: resultOf(transaction),
  }
}

/** Without the host, which a replay never reaches, and without the query, whose values are the merchant's. */
function pathOf(url: string): string {
  try {
    return new URL(url).pathname
  } catch {
    return '/'
  }
}

const actionKinds = ['capture', 'void', 'cancel', 'increment', 'refund'] as const
const isAction = (kind: OperationRow['kind']): kind is CapsuleAction['kind'] =>
  actionKinds.some((known) => known === kind)

/** What the merchant asked for after the payment was made. Captures of the intent and compensations follow by themselves. */
function actionsOf(operations: readonly OperationRow[]): CapsuleAction[] {
  const intended = operations.find(({ kind, input }) => kind === 'authorize' && input.then_capture)
  const first = intended && operations.find(({ kind, id }) => kind === 'capture' && id > intended.id)
  return operations.flatMap((operation) => {
    const { kind, amount, input, created_at } = operation
    if (!isAction(kind) || isCompensation(operation) || operation === first) return []
    const { final = true, forced = false } = input
    return [{ at: timestamp(created_at), kind, amount, final, forced }]
  })
}
