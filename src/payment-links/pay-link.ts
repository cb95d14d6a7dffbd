import { type ApiError, badRequest } from '../api/errors.ts'
import { sealRedirectUrl } from '../transactions/approval/approval-links.ts'
import { applyCheckoutSession } from '../transactions/create/checkout-session.ts'
import { createTransaction } from '../transactions/create/create-transaction.ts'
import { readDraft } from '../transactions/create/draft.ts'
import { answerTransactionOnce } from '../transactions/idempotency.ts'
import type { TransactionRow } from '../transactions/transaction.row.ts'
import type { BrowserInfo, Transaction, TransactionCreate } from '../transactions/transaction.schema.ts'
import { readTransaction } from '../transactions/transaction.store.ts'
import type { RedirectInput } from '../vault/payment-methods/payment-method-input.schema.ts'
import type { World } from '../world.ts'
import type { PaymentLinkStatus } from './payment-link.schema.ts'
import { findPaymentLink } from './payment-link.store.ts'
import { linkUrl, openLink, type PaymentLinkRow } from './payment-link.ts'

/** What a buyer pays a link with: a card in a checkout session, a stored payment method of the link's buyer, or a method that is approved elsewhere. */
export type LinkMethod =
  | { method: 'checkout-session'; id: string }
  | { method: 'id'; id: string; security_code?: string | null }
  | { method: RedirectInput['method'] }

export interface LinkPayment {
  method: LinkMethod
  /** Where the buyer comes back to after the card's issuer, or the payment service, has asked them: an absolute URL. */
  redirectUrl: string
  browserInfo: BrowserInfo | null
  /** The buyer's. */
  ipAddress: string | null
  /** Names this attempt: sent again, it is answered again and made once. Up to 255 characters; undefined: it is an attempt of its own. */
  key: string | undefined
}

const refusals: Record<Exclude<PaymentLinkStatus, 'active'>, string> = {
  processing: 'A payment of this link is under way',
  completed: 'A payment through this link has succeeded already',
  expired: 'The payment link has expired',
}

/**
 * Pays a link as POST /transactions would (SEMANTICS §14), for nobody who has a bearer. One payment at a time, and one in all: the statement that creates the payment takes the
 * link. Throws 400 where it cannot be paid, or not with that; a decline is a transaction. The answer is the payment as it is now.
 */
export async function payLink(world: World, link: PaymentLinkRow, payment: LinkPayment): Promise<TransactionRow> {
  const { merchant_account_id: account, id } = link
  const path = `/payment-links/${id}/pay`
  const input = transactionInputOf(world, link, { ...payment, redirectUrl: sealRedirectUrl(world, account, payment.redirectUrl) })
  const keyed = { account, scope: `POST ${path}`, key: payment.key, body: payment.method, representation: 'created-transaction' } as const
  const answer = await answerTransactionOnce(world, keyed, async (claim) => {
    const refused = await refusalOf(world, account, id)
    if (refused) throw refused
    const { input: whole, session } = await applyCheckoutSession(world, account, input, undefined)
    return createTransaction(world, {
      account,
      // its story is read by people who may not pay
      body: transactionInputOf(world, link, { ...payment, redirectUrl: linkUrl(world, '***') }),
      draft: readDraft(whole, world),
      session,
      fromBrowser: true,
      link: { id, refusal: async () => (await refusalOf(world, account, id)) ?? badRequest(refusals.processing) },
      ipAddress: payment.ipAddress,
      claim,
      path,
    })
  })
  return readTransaction(world, account, (answer.body as Transaction).id)
}

/** Why a link cannot be paid now; undefined: it can. */
async function refusalOf(world: World, account: string, id: string): Promise<ApiError | undefined> {
  const link = await findPaymentLink(world, account, id)
  if (!link || link.status === 'active') return undefined
  return badRequest(refusals[link.status])
}

function transactionInputOf(world: World, link: PaymentLinkRow, { method, redirectUrl, browserInfo }: LinkPayment): TransactionCreate {
  const { connectionOptions } = openLink(world, link)
  const { guest, cart_items, statement_descriptor, installment_count } = link.details
  return {
    amount: link.amount,
    currency: link.currency,
    country: link.country,
    intent: link.intent,
    payment_source: link.payment_source,
    // only what a buyer enters is new
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
      method.method === 'checkout-session' || method.method === 'id'
        ? { ...method, redirect_url: redirectUrl }
        : redirectMethodInput(method.method, { redirect_url: redirectUrl, country: link.country, currency: link.currency }),
  }
}

/** The two shapes of such a method differ in what may be left out, which is nothing here. */
const redirectMethodInput = (method: RedirectInput['method'], terms: { redirect_url: string; country: string; currency: string }): RedirectInput =>
  method === 'bnpl' ? { method, ...terms } : { method, ...terms }
