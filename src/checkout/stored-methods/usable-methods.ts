import type { Selectable } from 'kysely'
import { type BuyerKey, findBuyerRow } from '../../buyers/buyer.store.ts'
import type { PaymentMethodTable } from '../../database/tables/vault.ts'
import { paymentServices } from '../../payment-services/payment-service.store.ts'
import { decideOptions } from '../../routing/decide.ts'
import { liveRules } from '../../routing/live-rules.ts'
import { showPaymentMethodSummary } from '../../vault/payment-methods/payment-method.representation.ts'
import type { PaymentMethodSummary } from '../../vault/payment-methods/payment-method.schema.ts'
import { isTokenOnly } from '../../vault/payment-methods/token-method.ts'
import type { World } from '../../world.ts'
import { checkoutFacts } from '../checkout-rules.ts'

/** How a buyer's payment methods are filtered and ordered; null and absent restrict nothing. */
export interface UsableFilter {
  country?: string | null
  currency?: string | null
  /** Absent: by creation. */
  sort_by?: 'last_used_at' | 'usage_count' | 'cit_last_used_at' | 'cit_usage_count' | null
  order_by?: 'asc' | 'desc'
}

/** The payment methods with which a buyer can pay now (semantics §5.2); none if the buyer does not exist. */
export async function usableMethods(
  world: World,
  account: string,
  buyerKey: BuyerKey,
  filter: UsableFilter,
): Promise<PaymentMethodSummary[]> {
  const { country = null, currency = null, sort_by: sortBy = null, order_by: order = 'desc' } = filter
  const buyer = await findBuyerRow(world, account, buyerKey)
  if (!buyer) return []
  const services = await paymentServices(world, account)
  // a method without a country or a currency can be used in every one (API §4.7)
  const isTaken = (row: Selectable<PaymentMethodTable>) =>
    services.some(
      ({ id, active, deleted_at, method, accepted_countries, accepted_currencies }) =>
        active &&
        !deleted_at &&
        method === (row.mode === 'card' ? 'card' : row.method) &&
        (!isTokenOnly(row) || storedAt.has(`${row.id} ${id}`)) &&
        (country === null || row.country === null || accepted_countries.includes(country)) &&
        (currency === null || row.currency === null || accepted_currencies.includes(currency)),
    )
  const rules = (await liveRules(world, account)).get('checkout')
  const facts =
    rules &&
    checkoutFacts(world, {
      country,
      currency,
      buyer_id: buyer.id,
      buyer_external_identifier: buyer.external_identifier,
    })
  const selected = facts && decideOptions(rules, facts)?.methods
  const rows = await world.db
    .selectFrom('payment_methods')
    .selectAll()
    .where('merchant_account_id', '=', account)
    .where('buyer_id', '=', buyer.id)
    .where('provisional', '=', false)
    .where('status', 'in', ['processing', 'succeeded'])
    .$if(country !== null, (query) =>
      query.where((where) => where.or([where('country', 'is', null), where('country', '=', country)])),
    )
    .$if(currency !== null, (query) =>
      query.where((where) => where.or([where('currency', 'is', null), where('currency', '=', currency)])),
    )
    .orderBy(sortBy ?? 'created_at', (by) => (order === 'asc' ? by.asc() : by.desc()).nullsLast())
    .orderBy('id', order)
    .execute()
  const storedAt = await readServicesOfTokens(world, account, rows.filter(isTokenOnly))
  return rows
    .filter((row) => isTaken(row) && (!selected || selected.some((method) => method === row.method)))
    .map(showPaymentMethodSummary)
}

/** Which payment service can charge which card without a number: pairs of their ids. */
async function readServicesOfTokens(
  { db }: World,
  account: string,
  methods: readonly { id: string }[],
): Promise<Set<string>> {
  if (methods.length === 0) return new Set()
  const rows = await db
    .selectFrom('payment_service_tokens')
    .select(['payment_method_id', 'payment_service_id'])
    .where('merchant_account_id', '=', account)
    .where(
      'payment_method_id',
      'in',
      methods.map(({ id }) => id),
    )
    .where('status', '=', 'succeeded')
    .execute()
  return new Set(
    rows.map(({ payment_method_id: method, payment_service_id: service }) => `${method} ${service}`),
  )
}
