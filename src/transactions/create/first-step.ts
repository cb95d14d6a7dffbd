import { screeningService } from '../../anti-fraud/screening-service.ts'
import type { ErrorCode } from '../../connectors/error-codes.ts'
import { giftCardAmount } from '../../gift-cards/redemptions/redemption.ts'
import type { Claim } from '../../operations/journal/journal.ts'
import type { OperationRow } from '../../operations/operation.ts'
import type { FlowCode } from '../../routing/rules/outcome.schema.ts'
import type { World } from '../../world.ts'
import { type ApprovalTerms, readApprovalTerms } from '../approval/approval-terms.ts'
import { acquirerProfile, authenticatedAmountInput, isAuthenticationWanted } from '../approval/authentication.ts'
import { readAuthenticationOptions } from '../approval/challenge.ts'
import { moneyStepKind } from '../execution/money-step.ts'
import { type AuthenticationOptions, type RenewableCard, type RequestState, readRenewableCard } from '../execution/request-state.ts'
import { newOperationOn } from '../new-operation.ts'
import { timelineEntry } from '../timeline.ts'
import type { TransactionRow } from '../transaction.row.ts'
import type { ServiceChoice } from './choose-service.ts'
import type { Draft } from './draft.ts'
import { instrumentForFirstAttempt, type PresentedInstrument } from './instrument.ts'
import type { Tender } from './tender.ts'

/** What a payment asks for first, and of whom. */
export interface FirstStep {
  kind: OperationRow['kind']
  /** The payment method's part. */
  amount: number
  /** Undefined: no buyer is asked. */
  buyer: ApprovalTerms | undefined
  /** How it is shown to the payment service; undefined where none is asked. */
  presented: PresentedInstrument | undefined
  /** The anti-fraud service that is asked before all others; undefined: none. */
  antiFraudServiceId: string | undefined
  renewable: RenewableCard | undefined
  authenticationOptions: AuthenticationOptions | undefined
}

/**
 * Who is asked first (docs/decisions/006-checks-are-operations.md): an anti-fraud service, the card's issuer, the buyer, the payment service, or a gift card service
 * where gift cards pay alone. `refused`: nobody, and why. Throws 400 for what the payment service would refuse to be asked.
 */
export async function decideFirstStep(
  world: World,
  row: TransactionRow,
  draft: Draft,
  tender: Tender | undefined,
  choice: ServiceChoice,
): Promise<FirstStep | { refused: ErrorCode | FlowCode }> {
  const { service } = choice
  if (choice.declineCode) return { refused: choice.declineCode }
  const amount = draft.amount - giftCardAmount(row.gift_cards)
  if (!tender)
    return {
      kind: 'redeem',
      amount,
      buyer: undefined,
      presented: undefined,
      antiFraudServiceId: undefined,
      renewable: undefined,
      authenticationOptions: undefined,
    }
  if (!service) return { refused: 'all_attempts_skipped' }
  const buyer = await readApprovalTerms(world, draft, amount, row, service)
  const shown = choice.presented ?? (await instrumentForFirstAttempt(world, tender, service, draft.merchant_initiated))
  const renewable = readRenewableCard(draft, tender, row.payment_method?.id)
  const asking = tender.instrument.card && readAuthenticationOptions(world, draft, choice.skipsAuthentication)
  const requestState: RequestState = { instrument: shown.instrument, renewable, ...(asking && { authenticationOptions: asking }) }
  const isWanted = isAuthenticationWanted(world, row, service, requestState)
  const isAuthenticated = isWanted && (await acquirerProfile(world, row, service)) !== undefined
  if (isAuthenticated && !asking?.redirectUrl) return { refused: 'missing_redirect_url' }
  // it was wanted, and cannot be: nobody should find that out from a chargeback
  const unknown = isWanted && !isAuthenticated ? [missingProfileEntry(world, row)] : []
  // who pays by themselves may be somebody else
  const screener = draft.merchant_initiated ? undefined : await screeningService(world, row.merchant_account_id)
  const kind = screener ? 'screening' : isAuthenticated ? 'authentication' : buyer?.mustApprove ? 'approval' : moneyStepKind(world, row)
  return {
    kind,
    amount,
    buyer,
    presented: { ...shown, timeline: [...shown.timeline, ...unknown] },
    antiFraudServiceId: screener?.id,
    renewable,
    authenticationOptions: asking,
  }
}

const missingProfileEntry = (world: World, { payment_method: method }: TransactionRow) =>
  timelineEntry(world, 'three-d-secure-request-error', {
    url: null,
    reason: `there is no acquirer profile for ${method?.scheme ?? 'the card’s scheme'}`,
  })

/** The operation that carries it out; its outcome, or what follows, answers the request that claimed the idempotency key. */
export function firstOperation(world: World, row: TransactionRow, claim: Claim | undefined, step: FirstStep): OperationRow {
  const { kind, amount, buyer, antiFraudServiceId, authenticationOptions: asking } = step
  const card = kind === 'redeem' ? row.gift_cards?.redemptions[0] : undefined
  const plan = {
    kind,
    amount: card ? card.amount : amount,
    approvalToken: buyer?.token,
    input: {
      ...(card && { redemption: card.id }),
      ...(kind === 'screening' && antiFraudServiceId !== undefined && { anti_fraud_service: antiFraudServiceId }),
      ...(kind === 'authentication' && authenticatedAmountInput(asking)),
    },
  }
  return newOperationOn(world, row, plan, { idempotency_scope: claim?.scope ?? null, idempotency_key: claim?.key ?? null }, row.created_at)
}
