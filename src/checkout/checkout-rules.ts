import { timeOf } from '../base/clock.ts'
import { decideOptions } from '../routing/decide.ts'
import type { Facts } from '../routing/facts.ts'
import { liveRules } from '../routing/live-rules.ts'
import type { OptionsOutcome } from '../routing/rules/outcome.schema.ts'
import { withEveryField } from '../routing/rules/required-fields.schema.ts'
import type { World } from '../world.ts'
import type { CardDetail } from './cards/card-details.schema.ts'
import type { PaymentOption } from './payment-options/payment-option.schema.ts'

/** What a merchant's page knows of a payment that is not made yet. */
type PlannedPayment = { [Fact in keyof Facts]?: Facts[Fact] | undefined }

/** The facts of a planned payment for the checkout's rules; null: the page did not say. */
export const checkoutFacts = ({ clock }: Pick<World, 'clock'>, planned: PlannedPayment): Facts => ({
  amount: planned.amount ?? null,
  currency: planned.currency ?? null,
  country: planned.country ?? null,
  bin: planned.bin ?? null,
  scheme: planned.scheme ?? null,
  card_type: planned.card_type ?? null,
  issuer_country: planned.issuer_country ?? null,
  method: planned.method ?? null,
  payment_source: planned.payment_source ?? null,
  intent: planned.intent ?? null,
  merchant_initiated: planned.merchant_initiated ?? false,
  is_subsequent_payment: planned.is_subsequent_payment ?? false,
  metadata: planned.metadata ?? null,
  buyer_id: planned.buyer_id ?? null,
  buyer_external_identifier: planned.buyer_external_identifier ?? null,
  created_at: timeOf(clock),
  previous_decline: null,
})

/** The options that a rule selects, in its order (semantics §12.3); without a rule, all of them. */
export function selectedOptions(
  options: readonly PaymentOption[],
  decided: OptionsOutcome | undefined,
): PaymentOption[] {
  if (!decided?.methods) return [...options]
  return decided.methods.flatMap((method) => options.filter((option) => option.method === method))
}

type CardQuery = { [Fact in keyof PlannedPayment]: PlannedPayment[Fact] | null }

/** A card's details with the fields that the rules require of its form (semantics §5.5). */
export async function withRequiredFields(
  world: World,
  account: string,
  detail: CardDetail,
  query: CardQuery,
): Promise<CardDetail> {
  const rules = (await liveRules(world, account)).get('checkout')
  const { id, scheme, card_type, country } = detail
  const planned = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== null))
  const facts =
    rules &&
    checkoutFacts(world, {
      intent: 'authorize',
      ...planned,
      bin: id,
      scheme,
      card_type,
      issuer_country: country,
      method: 'card',
    })
  const fields = facts && decideOptions(rules, facts)?.required_fields
  return fields ? { ...detail, required_fields: withEveryField(fields) } : detail
}
