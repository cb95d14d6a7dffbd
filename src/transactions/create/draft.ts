import currencyCodes from 'currency-codes'
import { invalid } from '../../api/errors.ts'
import { InvalidShape, type ShapeError } from '../../api/server/validation.ts'
import { countryProblem } from '../../api/values/country.ts'
import { isMetadataTooLarge } from '../../api/values/metadata.ts'
import { cartProblems } from '../../checkout/cart-item.ts'
import type { TransactionPaymentSource } from '../../checkout/payment-terms.schema.ts'
import type { Method } from '../../connectors/contract/method.schema.ts'
import { isRedirectUrl, PAGE_URL_PROBLEM } from '../../outgoing/url-problem.ts'
import type { Settings } from '../../settings.ts'
import type { World } from '../../world.ts'
import type { TransactionCreate } from '../transaction.schema.ts'

/** `TransactionCreate` with its defaults filled in. */
export type Draft = TransactionCreate & {
  intent: 'authorize' | 'capture'
  payment_source: TransactionPaymentSource
  merchant_initiated: boolean
  is_subsequent_payment: boolean
  store: boolean
  async_capture: boolean
}

const withDefaults = (input: TransactionCreate): Draft => ({
  ...input,
  intent: input.intent ?? 'authorize',
  payment_source: input.payment_source ?? 'ecommerce',
  merchant_initiated: input.merchant_initiated ?? false,
  is_subsequent_payment: input.is_subsequent_payment ?? false,
  store: input.store ?? false,
  async_capture: input.async_capture ?? false,
})

const unattendedSources: readonly TransactionPaymentSource[] = ['recurring', 'installment']

/** A rule's result: the field that breaks it and the message; anything falsy: the draft keeps the rule. */
type DraftRule = (
  draft: Draft,
  now: number,
  environment: Settings['environment'],
) => readonly [pointer: string, message: string] | false | null | undefined | '' | 0

/** The rules that need nothing but the request (semantics §1.7, §3.9). */
const draftRules: readonly DraftRule[] = [
  (draft) => !currencyCodes.code(draft.currency) && ['/currency', 'is not an ISO 4217 code'],
  ({ country }) => country && problemAt('/country', countryProblem(country)),
  ({ payment_method: method }) =>
    method && 'country' in method && problemAt('/payment_method/country', countryProblem(method.country)),
  (draft) =>
    draft.intent === 'capture' &&
    draft.amount === 0 && ['/amount', 'must be greater than 0 when the intent is to capture'],
  (draft) =>
    draft.async_capture &&
    draft.intent !== 'capture' && ['/async_capture', 'is allowed with the intent to capture only'],
  (draft) =>
    draft.buyer_id &&
    draft.buyer_external_identifier && ['/buyer_id', 'and buyer_external_identifier exclude each other'],
  (draft) => !draft.payment_method && !draft.gift_cards?.length && ['/payment_method', 'is required'],
  (draft) => (draft.gift_cards?.length ?? 0) > 10 && ['/gift_cards', 'may hold 10 gift cards at most'],
  (draft) => giftCardTotal(draft) > draft.amount && ['/gift_cards', 'exceed the amount'],
  ({ payment_method, gift_cards, amount }) =>
    !payment_method &&
    gift_cards?.length &&
    giftCardTotal({ gift_cards }) < amount && [
      '/payment_method',
      'is required: gift cards do not cover the amount',
    ],
  ({ payment_method, gift_cards, amount }) =>
    payment_method &&
    gift_cards?.length &&
    giftCardTotal({ gift_cards }) === amount && [
      '/payment_method',
      'must be absent when gift cards cover the amount',
    ],
  (draft) =>
    isDelegated(draft) &&
    draft.merchant_initiated && ['/merchant_initiated', 'must be false with a delegated payment'],
  (draft) =>
    isDelegated(draft) &&
    draft.gift_cards?.length && ['/gift_cards', 'cannot be combined with a delegated payment'],
  (draft) =>
    draft.merchant_initiated &&
    ['ecommerce', 'moto'].includes(draft.payment_source) && [
      '/merchant_initiated',
      `cannot be true with the payment source ${draft.payment_source}`,
    ],
  (draft) =>
    draft.merchant_initiated &&
    !draft.is_subsequent_payment &&
    draft.payment_source !== 'card_on_file' && [
      '/is_subsequent_payment',
      'must be true when the merchant initiates the payment',
    ],
  (draft) =>
    unattendedSources.includes(draft.payment_source) &&
    !draft.merchant_initiated &&
    !draft.store &&
    draft.payment_method &&
    !('id' in draft.payment_method) && [
      '/store',
      `must be true for the first payment of the payment source ${draft.payment_source}`,
    ],
  (draft) =>
    draft.store &&
    draft.payment_method &&
    'id' in draft.payment_method &&
    draft.payment_method.method !== 'checkout-session' && [
      '/store',
      'must be false for a stored payment method',
    ],
  (draft) => draft.store && !canBeStored(draft) && ['/store', 'cannot be true for a token that pays once'],
  (draft) =>
    !draft.store &&
    externalIdentifierOf(draft) && ['/payment_method/external_identifier', 'needs store to be true'],
  ({ payment_method: method, currency }) =>
    method &&
    'currency' in method &&
    method.currency !== currency && ['/payment_method/currency', 'must be the currency of the payment'],
  ({ payment_method: method, country }) =>
    method &&
    'country' in method &&
    country &&
    method.country !== country && ['/payment_method/country', 'must be the country of the payment'],
  ({ payment_method: method }, _now, environment) =>
    method &&
    'redirect_url' in method &&
    method.redirect_url &&
    !isRedirectUrl(method.redirect_url, environment) && ['/payment_method/redirect_url', PAGE_URL_PROBLEM],
  (draft, now) =>
    draft.approval_expires_at &&
    Date.parse(draft.approval_expires_at) <= now && ['/approval_expires_at', 'lies in the past'],
  ({ statement_descriptor: descriptor }) =>
    isUnprintable(descriptor?.name) && ['/statement_descriptor/name', DESCRIPTOR_PROBLEM],
  ({ statement_descriptor: descriptor }) =>
    isUnprintable(descriptor?.description) && ['/statement_descriptor/description', DESCRIPTOR_PROBLEM],
  ({ metadata }) =>
    metadata &&
    isMetadataTooLarge(metadata) && [
      '/metadata',
      'may hold 50 pairs, with keys of 100 and values of 500 characters',
    ],
]

const problemAt = (pointer: string, message: string | null) =>
  message !== null && ([pointer, message] as const)

/** The message for a statement descriptor that `isUnprintable`. */
export const DESCRIPTOR_PROBLEM =
  'needs a letter, and takes Latin letters, digits, space and . , _ - ? + / only'

/** The part of the amount that gift cards are to pay. */
export const giftCardTotal = ({ gift_cards }: Pick<Draft, 'gift_cards'>): number =>
  (gift_cards ?? []).reduce((total, { amount }) => total + amount, 0)

/** Whether a text cannot be printed on a card statement (semantics §2). */
export const isUnprintable = (text: string | null | undefined) =>
  typeof text === 'string' && !(/^[A-Za-z0-9 .,_\-?+/]+$/.test(text) && /[A-Za-z]/.test(text))

const isDelegated = ({ payment_method: method }: Draft) =>
  method && 'method' in method && method.method === 'delegated-payment'

/**
 * A card with its number can be stored, what a provider's script produced, and the account in which a buyer
 * approves; a wallet's or scheme's token cannot.
 */
const canBeStored = ({ payment_method: method }: Draft) =>
  method &&
  ('number' in method ||
    'country' in method ||
    method.method === 'checkout-session' ||
    method.method === 'provider-token')

const externalIdentifierOf = ({ payment_method: method }: Draft) =>
  method && 'external_identifier' in method ? method.external_identifier : null

/** The methods whose flows API §4.11 defines. */
const methodsThatNeedCountry: readonly Method[] = ['wallet', 'bnpl']

/**
 * The members that a payment with a buyer's approval lacks (API §4.11). No schema can require them: the
 * method decides whether a country is required, and the place where the buyer approves decides whether a
 * `redirect_url` is.
 */
function missingMembers({
  payment_method: method,
  country,
  integration_client,
  connection_options,
}: TransactionCreate): string[][] {
  if (!method || !('country' in method)) return []
  const staysInPage =
    method.method === 'bnpl' &&
    ((integration_client ?? 'redirect') !== 'redirect' ||
      !!connection_options?.['bnpl-bnpl']?.authorization_token)
  return [
    ...(!country && methodsThatNeedCountry.includes(method.method) ? [['country']] : []),
    ...(!method.redirect_url && !staysInPage ? [['payment_method', 'redirect_url']] : []),
  ]
}

/** The error that a schema would give for a missing member. */
const required = (path: string[]): ShapeError => {
  const missingProperty = path.at(-1) ?? ''
  return {
    loc: ['body', ...path],
    msg: `must have required property '${missingProperty}'`,
    type: 'required',
    input: null,
    ctx: { missingProperty },
  }
}

/** The message for each field that breaks a rule; empty: the request is valid. */
export function brokenRules(
  input: TransactionCreate,
  { clock, settings }: Pick<World, 'clock' | 'settings'>,
): Record<string, string> {
  const draft = withDefaults(input)
  const broken = draftRules
    .map((rule) => rule(draft, clock.now(), settings.environment))
    .filter((problem) => Array.isArray(problem))
  return { ...Object.fromEntries(broken), ...cartProblems(draft.cart_items) }
}

/**
 * Checks a request against all rules at once, so that a developer sees every problem. Throws 422 if a member
 * is missing, 400 if a rule is broken.
 */
export function readDraft(input: TransactionCreate, world: Pick<World, 'clock' | 'settings'>): Draft {
  const missing = missingMembers(input)
  if (missing.length > 0) throw new InvalidShape(missing.map(required))
  const broken = brokenRules(input, world)
  if (Object.keys(broken).length > 0) throw invalid(broken)
  return withDefaults(input)
}
