import { screeningService } from '../../anti-fraud/screening-service.ts'
import type { SessionForPayment } from '../../checkout/sessions/checkout-session.store.ts'
import { takeThreeDSMethod } from '../../checkout/sessions/three-ds-method.store.ts'
import type { ErrorCode } from '../../connectors/contract/error-codes.ts'
import { giftCardAmount } from '../../gift-cards/redemptions/redemption.ts'
import type { Claim } from '../../operations/journal/journal.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { FlowCode } from '../../routing/rules/outcome.schema.ts'
import type { World } from '../../world.ts'
import { type ApprovalTerms, readApprovalTerms } from '../approval/approval-terms.ts'
import {
  acquirerProfile,
  authenticationOperationInput,
  isAuthenticationWanted,
} from '../approval/authentication.ts'
import { readAuthenticationOptions } from '../approval/challenge.ts'
import { approvalMovesMoney, moneyStepKind } from '../execution/money-step.ts'
import {
  type AuthenticationOptions,
  type RenewableCard,
  type RequestState,
  readRenewableCard,
} from '../execution/request-state.ts'
import { newOperationOn } from '../new-operation.ts'
import { timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { ServiceChoice } from './choose-service.ts'
import type { Draft } from './draft.ts'
import { instrumentForFirstAttempt, type PresentedInstrument } from './instrument.ts'
import type { Tender } from './tender.ts'

/** The first operation of a payment. */
export interface FirstStep {
  kind: OperationRow['kind']
  /** The payment method's part of the amount, in the smallest unit of the currency. */
  amount: number
  /** Absent: no buyer approves the payment. */
  buyer?: ApprovalTerms | undefined
  /** The instrument for the payment service; absent: gift cards pay alone. */
  presented?: PresentedInstrument
  /** The anti-fraud service that screens the payment first; absent: none does. */
  antiFraudServiceId?: string | undefined
  renewable?: RenewableCard | undefined
  authenticationOptions?: AuthenticationOptions | undefined
}

/**
 * Decides the first operation: a screening, an authentication, a buyer's approval, the money step, or a
 * redemption if gift cards pay alone (docs/decisions/006-checks-are-operations.md). `refused`: the payment
 * fails with this code before any request. Throws 400 for an approval that the payment service would refuse.
 */
export async function decideFirstStep(
  world: World,
  row: TransactionRow,
  draft: Draft,
  tender: Tender | undefined,
  choice: ServiceChoice,
  session: SessionForPayment | undefined,
): Promise<FirstStep | { refused: ErrorCode | FlowCode }> {
  const { service } = choice
  if (choice.declineCode) return { refused: choice.declineCode }
  const amount = draft.amount - giftCardAmount(row.gift_cards)
  if (!tender) return { kind: 'redeem', amount }
  if (!service) return { refused: 'all_attempts_skipped' }
  const buyer = await readApprovalTerms(world, draft, amount, row, service)
  const presented =
    choice.presented ?? (await instrumentForFirstAttempt(world, tender, service, draft.merchant_initiated))
  const renewable = readRenewableCard(draft, tender, row.payment_method?.id)
  const authenticationOptions =
    tender.routedAs === 'card'
      ? {
          ...readAuthenticationOptions(world, draft, choice.skipsAuthentication),
          method: await takeThreeDSMethod(world, row.merchant_account_id, session),
        }
      : undefined
  const requestState: RequestState = {
    instrument: presented.instrument,
    renewable,
    ...(authenticationOptions && { authenticationOptions }),
  }
  const wantsAuthentication = isAuthenticationWanted(world, row, service, requestState)
  const authenticates = wantsAuthentication && (await acquirerProfile(world, row, service)) !== undefined
  if (authenticates && !authenticationOptions?.redirectUrl) return { refused: 'missing_redirect_url' }
  // the timeline says that no authentication is possible, so that the merchant does not learn it from a
  // chargeback
  const missingProfile = wantsAuthentication && !authenticates ? [missingProfileEntry(world, row)] : []
  // a payment that the merchant initiates cannot be a thief's
  const screener = draft.merchant_initiated
    ? undefined
    : await screeningService(world, row.merchant_account_id)
  const kind = screener
    ? 'screening'
    : authenticates
      ? 'authentication'
      : buyer?.mustApprove && !approvalMovesMoney(world, row)
        ? 'approval'
        : moneyStepKind(world, row)
  return {
    kind,
    amount,
    buyer,
    presented: { ...presented, timeline: [...presented.timeline, ...missingProfile] },
    antiFraudServiceId: screener?.id,
    renewable,
    authenticationOptions,
  }
}

const missingProfileEntry = (world: World, { payment_method: method }: TransactionRow) =>
  timelineEntry(world, 'three-d-secure-request-error', {
    url: null,
    reason: `there is no acquirer profile for ${method?.scheme ?? 'the card’s scheme'}`,
  })

/**
 * The operation of the first step. It takes the request's idempotency key: its outcome, or that of an
 * operation after it, is the answer.
 */
export function firstOperation(
  world: World,
  row: TransactionRow,
  claim: Claim | undefined,
  step: FirstStep,
): OperationRow {
  const { kind, amount, buyer, antiFraudServiceId, authenticationOptions } = step
  const card = kind === 'redeem' ? row.gift_cards?.redemptions[0] : undefined
  const plan = {
    kind,
    amount: card ? card.amount : amount,
    approvalToken: buyer?.token,
    input: {
      ...(card && { redemption: card.id }),
      ...(kind === 'screening' &&
        antiFraudServiceId !== undefined && { anti_fraud_service: antiFraudServiceId }),
      ...(kind === 'authentication' && authenticationOperationInput(authenticationOptions)),
    },
  }
  return newOperationOn(
    world,
    row,
    plan,
    { idempotency_scope: claim?.scope ?? null, idempotency_key: claim?.key ?? null },
    row.created_at,
  )
}
