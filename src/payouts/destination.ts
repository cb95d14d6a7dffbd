import { invalid } from '../api/errors.ts'
import { cardTender, storedTender } from '../transactions/create/read-tender.ts'
import type { Tender } from '../transactions/create/tender.ts'
import { cardExpiryProblem } from '../vault/cards/card.ts'
import type { World } from '../world.ts'
import type { PaymentMethodCard, PaymentMethodStoredCard } from './payout.schema.ts'

/**
 * The card that receives a payout, with its number or stored (semantics §13). Throws a 400 that names the
 * field.
 */
export async function readDestination(
  world: World,
  account: string,
  input: PaymentMethodCard | PaymentMethodStoredCard,
): Promise<Tender> {
  return 'id' in input ? storedCardTender(world, account, input) : submittedCardTender(world, account, input)
}

async function submittedCardTender(world: World, account: string, input: PaymentMethodCard): Promise<Tender> {
  const tender = await cardTender(world, account, 'card', input)
  const scheme = input.card_scheme
  if (!scheme || !tender.instrument.card) return tender
  return {
    ...tender,
    snapshot: { ...tender.snapshot, scheme },
    instrument: { card: { ...tender.instrument.card, scheme } },
  }
}

async function storedCardTender(
  world: World,
  account: string,
  { id }: PaymentMethodStoredCard,
): Promise<Tender> {
  const tender = await storedTender(world, account, { id })
  if (tender.instrument.serviceToken !== undefined)
    throw invalid({ '/payment_method/id': 'names a card whose number is not stored, which a payout needs' })
  if (!tender.instrument.card)
    throw invalid({ '/payment_method/id': 'names a payment method that is no card' })
  const problem = cardExpiryProblem(tender.instrument.card.expirationDate, world.clock.now())
  if (problem) throw invalid({ '/payment_method/id': 'names a card whose expiration date lies in the past' })
  return tender
}
