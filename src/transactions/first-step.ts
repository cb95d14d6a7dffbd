import { screeningService } from '../anti-fraud/screening-service.ts'
import type { ErrorCode } from '../connectors/error-codes.ts'
import { giftCardAmount } from '../gift-cards/redemption.ts'
import type { Claim } from '../operations/journal.ts'
import { newOperation, type OperationRow } from '../operations/operation.ts'
import type { FlowCode } from '../routing/outcome.schema.ts'
import { deadline, type World } from '../world.ts'
import { type Renewable, renewableCard } from './another-attempt.ts'
import { type AskedBuyer, askBuyer } from './ask-buyer.ts'
import { acquirerProfile, authenticatedAmount, wantsAuthentication } from './authentication.ts'
import type { Live } from './carry-out.ts'
import { type Challengeable, challengeable } from './challenge.ts'
import type { Choice } from './choose-service.ts'
import type { Draft } from './draft.ts'
import { moneyKind, requestsOf, sealToken } from './following.ts'
import { firstShown, type ShownInstrument } from './instrument.ts'
import { entry } from './story.ts'
import type { Tender } from './tender.ts'
import type { TransactionRow } from './transaction.row.ts'

/** What a payment asks for first, and of whom. */
export interface FirstStep {
  kind: OperationRow['kind']
  /** The payment method's part. */
  amount: number
  /** Undefined: no buyer is asked. */
  buyer: AskedBuyer | undefined
  /** How it is shown to the payment service; undefined where none is asked. */
  shown: ShownInstrument | undefined
  /** The anti-fraud service that is asked before all others; undefined: none. */
  screener: string | undefined
  renewable: Renewable | undefined
  challengeable: Challengeable | undefined
}

/**
 * Who is asked first (docs/decisions/006-checks-are-operations.md): an anti-fraud service, the card's issuer, the buyer, the payment service, or a gift card service
 * where gift cards pay alone. `refused`: nobody, and why. Throws 400 for what the payment service would refuse to be asked.
 */
export async function firstStep(
  world: World,
  row: TransactionRow,
  draft: Draft,
  tender: Tender | undefined,
  choice: Choice,
): Promise<FirstStep | { refused: ErrorCode | FlowCode }> {
  const { service } = choice
  if (choice.declined) return { refused: choice.declined }
  const amount = draft.amount - giftCardAmount(row.gift_cards)
  if (!tender)
    return { kind: 'redeem', amount, buyer: undefined, shown: undefined, screener: undefined, renewable: undefined, challengeable: undefined }
  if (!service) return { refused: 'all_attempts_skipped' }
  const buyer = await askBuyer(world, draft, amount, row, service)
  const shown = choice.shown ?? (await firstShown(world, tender, service, draft.merchant_initiated))
  const renewable = renewableCard(draft, tender, row.payment_method?.id)
  const asking = tender.instrument.card && challengeable(world, draft, choice.skipsAuthentication)
  const live: Live = { instrument: shown.instrument, renewable, ...(asking && { challengeable: asking }) }
  const isWanted = wantsAuthentication(world, row, service, live)
  const isAuthenticated = isWanted && (await acquirerProfile(world, row, service)) !== undefined
  if (isAuthenticated && !asking?.redirectUrl) return { refused: 'missing_redirect_url' }
  // it was wanted, and cannot be: nobody should find that out from a chargeback
  const unknown = isWanted && !isAuthenticated ? [withoutProfile(world, row)] : []
  // who pays by themselves may be somebody else
  const screener = draft.merchant_initiated ? undefined : await screeningService(world, row.merchant_account_id)
  const kind = screener ? 'screening' : isAuthenticated ? 'authentication' : buyer?.mustApprove ? 'approval' : moneyKind(world, row)
  return {
    kind,
    amount,
    buyer,
    shown: { ...shown, story: [...shown.story, ...unknown] },
    screener: screener?.id,
    renewable,
    challengeable: asking,
  }
}

const withoutProfile = (world: World, { payment_method: method }: TransactionRow) =>
  entry(world, 'three-d-secure-request-error', { url: null, reason: `there is no acquirer profile for ${method?.scheme ?? 'the card’s scheme'}` })

/** The operation that carries it out; its outcome, or what follows, answers the request that claimed the idempotency key. */
export function firstOperation(world: World, row: TransactionRow, claim: Claim | undefined, step: FirstStep): OperationRow {
  const { kind, amount, buyer, screener, challengeable: asking } = step
  const id = world.ids.next()
  const card = kind === 'redeem' ? row.gift_cards?.redemptions[0] : undefined
  return newOperation(
    {
      merchant_account_id: row.merchant_account_id,
      id,
      transaction_id: row.id,
      kind,
      amount: card ? card.amount : amount,
      currency: row.currency,
      payment_service_id: row.payment_service_id,
      check_at: deadline(world, requestsOf(kind)),
      created_at: row.created_at,
    },
    {
      idempotency_scope: claim?.scope ?? null,
      idempotency_key: claim?.key ?? null,
      input: {
        ...(buyer?.token && { approval_token: sealToken(world, id, buyer.token) }),
        ...(card && { redemption: card.id }),
        ...(kind === 'screening' && screener !== undefined && { anti_fraud_service: screener }),
        ...(kind === 'authentication' && authenticatedAmount(asking)),
      },
    },
  )
}
