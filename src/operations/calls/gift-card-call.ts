import { mayHaveHadOtherFields } from '../../configured-services/changed-fields.ts'
import type { Exchange } from '../../connectors/contract/call.ts'
import type {
  GiftCardConnector,
  GiftCardOperationForCall,
  GiftCardOutcome,
  GiftCardServiceCall,
} from '../../connectors/contract/gift-card-connector.ts'
import { failedOutcome, found, unprocessedOutcome, unsure } from '../../connectors/contract/outcome.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { recordExchanges } from '../../connectors/wire/record-exchanges.ts'
import { hideInOutcome, redactor } from '../../connectors/wire/redact.ts'
import {
  type GiftCardTender,
  type Redemption,
  redemptionById,
} from '../../gift-cards/redemptions/redemption.ts'
import { openRedemptionCard } from '../../gift-cards/redemptions/redemption-card.ts'
import { giftCardServiceById } from '../../gift-cards/services/service-call.ts'
import type { World } from '../../world.ts'
import { readNotices } from '../journal/notices.ts'
import type { OperationOutcome, OperationRow } from '../operation.ts'
import type { LookUpResult, SendResult } from './call-result.ts'

/**
 * Sends what a redemption is asked for to its gift card service, under the operation's id as the idempotency
 * key.
 */
export async function sendRedemption(
  world: World,
  operation: OperationRow,
  giftCards: GiftCardTender | null,
): Promise<SendResult> {
  const redemption = redemptionById(giftCards, operation.input.redemption)
  const asked = redemption && giftCardOperationOf(world, operation, redemption)
  if (!asked) return { outcome: failedOutcome('invalid_service_configuration'), exchanges: [] }
  const prepared = await prepareGiftCardCall(world, operation, giftCards, asked)
  // as in `sendOperation`
  if (!prepared) return { outcome: unprocessedOutcome('invalid_service_configuration', {}), exchanges: [] }
  const { connector, call, exchanges, hide } = prepared
  try {
    const outcome = toOutcome(operation, await callConnector(connector, call, asked))
    return { outcome: hideInOutcome(outcome, hide), exchanges }
  } catch (error) {
    world.log.error(
      { err: error, transaction: operation.transaction_id, operation: operation.id },
      'a gift card connector threw: its outcome counts as unknown',
    )
    return { outcome: { status: 'unknown', reason: 'the connector failed' }, exchanges }
  }
}

/** Reads the gift card service's books. What is absent there is sent again under the same key. */
export async function lookUpRedemption(
  world: World,
  operation: OperationRow,
  giftCards: GiftCardTender | null,
): Promise<LookUpResult> {
  const prepared = await prepareGiftCardCall(world, operation, giftCards)
  if (!prepared) return { finding: unsure, exchanges: [] }
  const { connector, call, exchanges, asksOtherAccount } = prepared
  try {
    const finding = await connector.find({
      ...call,
      operation: { id: operation.id, kind: serviceKind(operation) },
      notices: async () =>
        giftCards ? readNotices(world, { ...operation, payment_service_id: giftCards.service.id }, null) : [],
    })
    if (finding.status === 'absent' && asksOtherAccount) return { finding: unsure, exchanges }
    if (finding.status !== 'found') return { finding, exchanges }
    const outcome = toOutcome(operation, finding.outcome)
    return { finding: outcome.status === 'unknown' ? unsure : found(outcome), exchanges }
  } catch (error) {
    world.log.error(
      { err: error, transaction: operation.transaction_id, operation: operation.id },
      'a gift card connector threw while reading the books',
    )
    return { finding: unsure, exchanges }
  }
}

const serviceKind = ({ kind }: OperationRow): 'redeem' | 'reverse' | 'refund' =>
  kind === 'redeem' || kind === 'reverse' ? kind : 'refund'

function giftCardOperationOf(
  world: World,
  operation: OperationRow,
  redemption: Redemption,
): GiftCardOperationForCall | undefined {
  const { id, amount, currency } = operation
  if (operation.kind === 'redeem') {
    const card = openRedemptionCard(world, redemption)
    return card && { id, kind: 'redeem', card, amount, currency }
  }
  if (redemption.reference === null) return undefined
  return operation.kind === 'reverse'
    ? {
        id,
        kind: 'reverse',
        redemption: redemption.reference,
        amount,
        currency,
        redeemed: redemption.amount,
      }
    : { id, kind: 'refund', redemption: redemption.reference, amount, currency }
}

function callConnector(
  connector: GiftCardConnector,
  call: GiftCardServiceCall,
  operation: GiftCardOperationForCall,
): Promise<GiftCardOutcome> {
  switch (operation.kind) {
    case 'redeem':
      return connector.operations.redeem({ ...call, operation })
    case 'reverse':
      return connector.operations.reverse({ ...call, operation })
    case 'refund':
      return connector.operations.refund({ ...call, operation })
    default:
      throw new Error(`${operation.kind} is not asked of a redemption`)
  }
}

interface PreparedGiftCardCall {
  connector: GiftCardConnector
  call: GiftCardServiceCall
  exchanges: Exchange[]
  /** As in `send-operation.ts`. */
  asksOtherAccount: boolean
  /** Hides the number of the card that the call redeems. */
  hide: (value: unknown) => unknown
}

async function prepareGiftCardCall(
  world: World,
  { merchant_account_id: account, kind, created_at }: OperationRow,
  giftCards: GiftCardTender | null,
  asked?: GiftCardOperationForCall,
): Promise<PreparedGiftCardCall | undefined> {
  const service = giftCards ? await giftCardServiceById(world, account, giftCards.service.id) : undefined
  if (!service) return undefined
  const http = instrumentedHttp(world, {
    definition: service.row.gift_card_service_definition_id,
    operation: asked ? kind : 'find',
  })
  const hide = redactor(asked?.kind === 'redeem' ? asked.card.number : undefined)
  const { request, exchanges } = recordExchanges(http, world.clock, world.ids, hide)
  return {
    connector: service.connector,
    call: { ...service.call, http: request },
    exchanges,
    asksOtherAccount: mayHaveHadOtherFields(service.row, created_at),
    hide,
  }
}

/**
 * In the words of the journal. An approval of another amount than we asked is not an answer to our question.
 */
function toOutcome({ amount }: OperationRow, outcome: GiftCardOutcome): OperationOutcome {
  switch (outcome.status) {
    case 'approved':
      if (outcome.amount !== amount)
        return { status: 'unknown', reason: 'the answer speaks of another amount' }
      return { status: 'approved', amount, facts: {}, references: { operation: outcome.reference } }
    case 'pending':
      return {
        status: 'pending',
        facts: {},
        references: outcome.reference === null ? {} : { operation: outcome.reference },
      }
    case 'unknown':
      return outcome
    case 'declined':
    case 'failed': {
      const facts = { raw_response_code: outcome.rawCode, raw_response_description: outcome.rawMessage }
      const { code } = outcome
      if (outcome.status === 'declined') return { status: 'declined', code, facts, references: {} }
      const failed = { status: 'failed', code, facts, references: {} } as const
      return outcome.unprocessed ? { ...failed, unprocessed: true } : failed
    }
  }
}
