import { type ApiError, badRequest } from '../api/errors.ts'
import { sealRedirectUrl } from '../transactions/approval/redirect-url.ts'
import { applyCheckoutSession } from '../transactions/create/checkout-session.ts'
import { createTransaction } from '../transactions/create/create-transaction.ts'
import { readDraft } from '../transactions/create/draft.ts'
import { answerTransactionOnce } from '../transactions/idempotency.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import type { BrowserInfo, Transaction, TransactionCreate } from '../transactions/transaction.schema.ts'
import { readTransaction } from '../transactions/transaction.store.ts'
import type {
  ApplePayInput,
  GooglePayInput,
  RedirectInput,
} from '../vault/payment-methods/payment-method-input.schema.ts'
import type { World } from '../world.ts'
import type { PaymentLinkStatus } from './payment-link.schema.ts'
import { findPaymentLink } from './payment-link.store.ts'
import { linkUrl, openLink, type PaymentLinkRow } from './payment-link.ts'

/**
 * What pays a link: a card in a checkout session, a stored payment method of the link's buyer, the token of a
 * wallet, or a method that the buyer approves on another page.
 */
export type LinkMethod =
  | { method: 'checkout-session'; id: string }
  | { method: 'id'; id: string; security_code?: string | null }
  | Pick<ApplePayInput, 'method' | 'token' | 'card_suffix'>
  | Pick<GooglePayInput, 'method' | 'token' | 'card_suffix'>
  | { method: RedirectInput['method'] }

export interface LinkPayment {
  method: LinkMethod
  /** The absolute URL to which the card's issuer, or the payment service, sends the buyer back. */
  redirectUrl: string
  browserInfo: BrowserInfo | null
  /** The buyer's address. */
  ipAddress: string | null
  /**
   * The idempotency key of this attempt, up to 255 characters. Undefined: a repeated request is another
   * attempt.
   */
  key: string | undefined
}

const refusals: Record<Exclude<PaymentLinkStatus, 'active'>, string> = {
  processing: 'A payment of this link is under way',
  completed: 'A payment through this link has succeeded already',
  expired: 'The payment link has expired',
}

/**
 * Pays a link as `POST /transactions` would (semantics §14), without a bearer token. A link has one payment
 * at a time, and one that succeeds: the statement that creates the payment takes the link. Throws 400 if the
 * link cannot be paid, or not with this method; a decline is a transaction. Answers the payment as it is now.
 */
export async function payLink(
  world: World,
  link: PaymentLinkRow,
  payment: LinkPayment,
): Promise<TransactionRow> {
  const { merchant_account_id: account, id } = link
  const path = `/payment-links/${id}/pay`
  const input = transactionInputOf(world, link, {
    ...payment,
    redirectUrl: sealRedirectUrl(world, account, payment.redirectUrl),
  })
  const keyed = {
    account,
    scope: `POST ${path}`,
    key: payment.key,
    body: payment.method,
    representation: 'created-transaction',
  } as const
  const answer = await answerTransactionOnce(world, keyed, async (claim) => {
    const refused = await refusalOf(world, account, id)
    if (refused) throw refused
    const { input: whole, session } = await applyCheckoutSession(world, account, input, undefined)
    return createTransaction(world, {
      account,
      // people who may not pay read the timeline, so it must not hold the link's URL
      body: transactionInputOf(world, link, { ...payment, redirectUrl: linkUrl(world, '***') }),
      draft: readDraft(whole, world),
      session,
      fromBrowser: true,
      link: {
        id,
        refusal: async () => (await refusalOf(world, account, id)) ?? badRequest(refusals.processing),
      },
      ipAddress: payment.ipAddress,
      claim,
      path,
    })
  })
  return readTransaction(world, account, (answer.body as Transaction).id)
}

/** The error for a link that cannot be paid now; undefined: it can be paid. */
async function refusalOf(world: World, account: string, id: string): Promise<ApiError | undefined> {
  const link = await findPaymentLink(world, account, id)
  if (!link || link.status === 'active') return undefined
  return badRequest(refusals[link.status])
}

function transactionInputOf(
  world: World,
  link: PaymentLinkRow,
  { method, redirectUrl, browserInfo }: LinkPayment,
): TransactionCreate {
  const { connectionOptions } = openLink(world, link)
  const { guest, cart_items, statement_descriptor, installment_count } = link.details
  return {
    amount: link.amount,
    currency: link.currency,
    country: link.country,
    intent: link.intent,
    payment_source: link.payment_source,
    // a stored payment method is stored already
    store: link.store && method.method === 'checkout-session',
    merchant_initiated: false,
    is_subsequent_payment: false,
    buyer: guest ?? null,
    buyer_id: link.buyer_id,
    external_identifier: link.external_identifier,
    metadata: link.metadata,
    cart_items: cart_items ?? null,
    statement_descriptor: statement_descriptor ?? null,
    installment_count: installment_count ?? null,
    connection_options: connectionOptions ?? null,
    browser_info: browserInfo,
    payment_method:
      method.method === 'checkout-session' ||
      method.method === 'id' ||
      method.method === 'applepay' ||
      method.method === 'googlepay'
        ? { ...method, redirect_url: redirectUrl }
        : redirectMethodInput(method.method, {
            redirect_url: redirectUrl,
            country: link.country,
            currency: link.currency,
          }),
  }
}

/** The union has two shapes, which differ in the members that may be left out; here all are set. */
const redirectMethodInput = (
  method: RedirectInput['method'],
  terms: { redirect_url: string; country: string; currency: string },
): RedirectInput => (method === 'bnpl' ? { method, ...terms } : { method, ...terms })
