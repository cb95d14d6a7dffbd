import { isPageUrl, PAGE_URL_PROBLEM } from '../outgoing/url-problem.ts'
import { brokenRules, type Draft } from '../transactions/create/draft.ts'
import type { World } from '../world.ts'
import { isColor } from './css-colors.ts'
import type { PaymentLinkCreate } from './payment-link.schema.ts'

export const locales = ['en', 'en-GB', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pt', 'pt-BR'] as const

const urls = [
  'merchant_url',
  'merchant_banner_url',
  'merchant_terms_and_conditions_url',
  'merchant_favicon_url',
  'return_url',
] as const

type RulesWorld = Pick<World, 'clock' | 'settings'>

/** The rules of semantics §14 that a link has besides those of a payment. */
const linkRules: readonly ((
  link: PaymentLinkCreate,
  world: RulesWorld,
) => false | null | undefined | '' | readonly [pointer: string, message: string])[] = [
  ({ expires_at }, { clock }) =>
    expires_at && Date.parse(expires_at) <= clock.now() && ['/expires_at', 'lies in the past'],
  ({ locale }) =>
    locale &&
    !locales.some((supported) => supported === locale) && ['/locale', `must be one of ${locales.join(', ')}`],
  ({ merchant_color }) =>
    merchant_color &&
    !isColor(merchant_color) && ['/merchant_color', 'must be a CSS colour: #rgb, #rrggbb or a name'],
  ({ metadata }) => metadata && !hasTextValues(metadata) && ['/metadata', 'must have texts as its values'],
  ...urls.map(
    (name) => (link: PaymentLinkCreate, world: RulesWorld) =>
      typeof link[name] === 'string' &&
      !isPageUrl(link[name], world.settings.environment) &&
      ([`/${name}`, PAGE_URL_PROBLEM] as const),
  ),
]

const hasTextValues = (metadata: Record<string, unknown>): metadata is Record<string, string> =>
  Object.values(metadata).every((value) => typeof value === 'string')

/** The metadata of a link that has passed the rules. */
export const textMetadataOf = (metadata: PaymentLinkCreate['metadata']): Record<string, string> | null =>
  metadata && hasTextValues(metadata) ? metadata : null

/** The members of a payment that its link determines, whatever it is paid with. */
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

/**
 * The problems of a new link: JSON pointer → message. Empty: none. A problem that would keep the buyer from
 * paying is refused when the link is created, since only the merchant can correct it. `id`: the link's.
 */
export function paymentLinkProblems(
  world: RulesWorld,
  id: string,
  link: PaymentLinkCreate,
): Record<string, string> {
  // most buyers enter a card, which is in a checkout session
  const paymentProblems = brokenRules(
    { ...paymentTermsOf(link), payment_method: { method: 'checkout-session', id } },
    world,
  )
  const linkProblems = linkRules.map((rule) => rule(link, world)).filter((problem) => Array.isArray(problem))
  return { ...paymentProblems, ...Object.fromEntries(linkProblems) }
}
