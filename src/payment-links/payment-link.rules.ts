import { isPageUrl, PAGE_URL_PROBLEM } from '../outgoing/url-problem.ts'
import { brokenRules, type Draft } from '../transactions/create/draft.ts'
import type { World } from '../world.ts'
import { isColor } from './css-colors.ts'
import type { PaymentLinkCreate } from './payment-link.schema.ts'

export const locales = ['en', 'en-GB', 'es', 'pt', 'pt-BR'] as const

const urls = ['merchant_url', 'merchant_banner_url', 'merchant_terms_and_conditions_url', 'merchant_favicon_url', 'return_url'] as const

type Pages = Pick<World, 'clock' | 'settings'>

/** The rules of SEMANTICS §14 that a payment does not have. */
const linkRules: readonly ((link: PaymentLinkCreate, world: Pages) => false | null | undefined | '' | readonly [pointer: string, message: string])[] =
  [
    ({ expires_at }, { clock }) => expires_at && Date.parse(expires_at) <= clock.now() && ['/expires_at', 'lies in the past'],
    ({ locale }) => locale && !locales.some((known) => known === locale) && ['/locale', `must be one of ${locales.join(', ')}`],
    ({ merchant_color }) => merchant_color && !isColor(merchant_color) && ['/merchant_color', 'must be a CSS colour: #rgb, #rrggbb or a name'],
    ({ metadata }) => metadata && !isText(metadata) && ['/metadata', 'must have texts as its values'],
    ...urls.map(
      (name) => (link: PaymentLinkCreate, world: Pages) =>
        typeof link[name] === 'string' && !isPageUrl(link[name], world.settings.environment) && ([`/${name}`, PAGE_URL_PROBLEM] as const),
    ),
  ]

const isText = (metadata: Record<string, unknown>): metadata is Record<string, string> =>
  Object.values(metadata).every((value) => typeof value === 'string')

/** The metadata of a link whose rules hold. */
export const textMetadataOf = (metadata: PaymentLinkCreate['metadata']): Record<string, string> | null =>
  metadata && isText(metadata) ? metadata : null

/** What a link says of its payment, however that will be paid. */
export type PaymentTerms = Pick<
  Draft,
  | 'amount'
  | 'country'
  | 'currency'
  | 'intent'
  | 'payment_source'
  | 'store'
  | 'buyer'
  | 'buyer_id'
  | 'external_identifier'
  | 'statement_descriptor'
  | 'metadata'
  | 'cart_items'
  | 'connection_options'
  | 'installment_count'
>

export const paymentTermsOf = (link: PaymentLinkCreate): PaymentTerms => ({
  amount: link.amount,
  country: link.country,
  currency: link.currency,
  buyer: link.buyer ?? null,
  buyer_id: link.buyer_id ?? null,
  external_identifier: link.external_identifier ?? null,
  statement_descriptor: link.statement_descriptor ?? null,
  metadata: textMetadataOf(link.metadata),
  cart_items: link.cart_items ?? null,
  connection_options: link.connection_options ?? null,
  installment_count: link.installment_count ?? null,
  intent: link.intent ?? 'authorize',
  payment_source: link.payment_source ?? 'ecommerce',
  store: link.store ?? false,
})

/** Everything that would keep a buyer from paying is refused now, when the merchant can still mend it. `id`: the link's. */
export function paymentLinkProblems(world: Pages, id: string, link: PaymentLinkCreate): Record<string, string> {
  // most buyers pay with a card that they enter, which a checkout session holds
  const payment = brokenRules({ ...paymentTermsOf(link), payment_method: { method: 'checkout-session', id } }, world)
  return { ...payment, ...Object.fromEntries(linkRules.map((rule) => rule(link, world)).filter((problem) => Array.isArray(problem))) }
}
