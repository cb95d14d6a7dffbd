import { ApiError } from '../../api/errors.ts'
import { InvalidShape } from '../../api/server/validation.ts'
import {
  findDelegatedPayment,
  idOfToken,
  problemWithUse,
} from '../../checkout/delegated-payments/delegated-payment.store.ts'
import { findStoredRequest } from '../../database/idempotency-key.ts'
import { type Claim, IdempotencyKeyTaken } from '../../operations/journal/journal.ts'
import { createTransaction } from '../../transactions/create/create-transaction.ts'
import { readDraft } from '../../transactions/create/draft.ts'
import { answerTransactionOnce } from '../../transactions/idempotency.ts'
import type { Transaction } from '../../transactions/transaction.schema.ts'
import { findTransaction } from '../../transactions/transaction.store.ts'
import type { World } from '../../world.ts'
import { askPrice } from '../prices/ask-price.ts'
import { showCheckout } from './checkout.representation.ts'
import type { CompletedAgenticCheckout } from './checkout.schema.ts'
import { type AgenticCheckoutRow, repriceCheckout } from './checkout.store.ts'
import { CheckoutRefusal } from './checkout-errors.ts'
import type { AgenticCheckoutComplete } from './checkout-request.schema.ts'
import {
  changedMeanwhile,
  inProgress,
  type PlatformOf,
  readCheckout,
  readSellerOf,
  refusalOf,
} from './checkout-state.ts'
import { ipAddressOf, paymentInput, tokenOfPayment, tokenRefused } from './payment-input.ts'

/** A platform's request to complete a checkout. */
export interface Completion {
  place: PlatformOf
  id: string
  body: AgenticCheckoutComplete
  /** The path of the request, and its idempotency key. */
  path: string
  key: string
}

export interface Completed {
  checkout: CompletedAgenticCheckout
  /** An earlier request with this key has completed it. */
  replayed: boolean
}

/**
 * Completes a checkout: the merchant confirms the price, and the payment takes it. The payment is created under
 * the platform's key by a statement that takes the checkout as well, so that it pays once, and only the price that
 * the platform was shown, whatever repeats. Throws `CheckoutRefusal` if it is not completed: 402 for a decline,
 * after which another request may complete it, and 409 while the outcome is not known.
 */
export async function completeCheckout(world: World, completion: Completion): Promise<Completed> {
  const { place, id, body, path, key } = completion
  const { account, platform } = place
  const keyed = {
    account,
    scope: `POST ${path} ${platform}`,
    key,
    body,
    representation: 'created-transaction',
  } as const
  let replayed = true
  try {
    const answer = await answerTransactionOnce(world, keyed, async (claim) => {
      // before the merchant is asked, who would make a second order of a repeated request
      if (await findStoredRequest(world, keyed)) throw new IdempotencyKeyTaken()
      const paid = await pay(world, completion, claim)
      replayed = false
      return paid
    })
    return { checkout: await outcomeOf(world, place, id, (answer.body as Transaction).id), replayed }
  } catch (error) {
    const done = error instanceof CheckoutRefusal && (await completedBy(world, completion))
    if (done) return { checkout: done, replayed: false }
    throw error
  }
}

async function pay(world: World, { place, id, body, path }: Completion, claim: Claim | undefined) {
  const { account } = place
  const seller = await readSellerOf(world, account)
  const row = await readCheckout(world, place, id)
  const refused = refusalOf(world, row)
  if (refused) throw refused
  if (!row.ready) throw notReady()
  await checkToken(world, row, body)
  // the platform's members are wrong before the merchant makes an order of them
  paymentInput(world, seller, row, body)
  const confirmed = await confirmPrice(world, seller, row, body)
  const input = paymentInput(world, seller, confirmed, body)
  try {
    return await createTransaction(world, {
      account,
      body: input,
      draft: readDraft(input, world),
      session: undefined,
      fromBrowser: false,
      checkout: { id, revision: confirmed.revision },
      ipAddress: ipAddressOf(body),
      claim,
      path,
    })
  } catch (error) {
    throw await checkoutError(world, place, confirmed, error)
  }
}

/** Throws 422 for a token that does not pay the price that the platform was shown. */
async function checkToken(
  world: World,
  { merchant_account_id: account, id, amount, currency }: AgenticCheckoutRow,
  { payment_data }: AgenticCheckoutComplete,
): Promise<void> {
  const row = idOfToken(tokenOfPayment(payment_data))
  const token = row === undefined ? undefined : await findDelegatedPayment(world, account, row)
  const problem = problemWithUse(world, token, { checkoutSessionId: id, amount, currency })
  if (problem) throw tokenRefused(tokenProblem(problem))
}

/** A problem of `problemWithUse`, which names members of another request, as one of the token. */
function tokenProblem(problems: Readonly<Record<string, string>>): string {
  const [pointer = '', problem = ''] = Object.entries(problems)[0] ?? []
  if (pointer === '/amount') return `allows less than the total: the total ${problem}`
  if (pointer === '/currency') return `is for another currency: it ${problem}`
  return pointer === '/payment_method/checkout_session_id' ? 'is for another checkout session' : problem
}

/**
 * The merchant confirms the price, or names another one, which the platform has to show first. Throws 422 if the
 * buyer would pay anything but what the platform was shown.
 */
async function confirmPrice(
  world: World,
  seller: Parameters<typeof askPrice>[1],
  row: AgenticCheckoutRow,
  { buyer, affiliate_attribution, marketing_consents, risk_signals }: AgenticCheckoutComplete,
): Promise<AgenticCheckoutRow> {
  const request = buyer ? { ...row.request, buyer } : row.request
  const price = await askPrice(world, seller, {
    checkoutId: row.id,
    reason: 'complete',
    currency: row.currency,
    request,
    passedOn: { affiliate_attribution, marketing_consents, risk_signals },
  })
  const confirmed = await repriceCheckout(world, row, request, price, undefined)
  if (!confirmed) throw changedMeanwhile()
  if (!confirmed.ready) throw notReady()
  if (confirmed.amount !== row.amount)
    throw new CheckoutRefusal({
      status: 422,
      code: 'price_changed',
      message: 'The merchant has changed the price: read the checkout session, and show the buyer its totals',
      param: '$.totals',
    })
  return confirmed
}

const notReady = () =>
  new CheckoutRefusal({
    status: 422,
    code: 'not_ready_for_payment',
    message: 'The checkout session cannot be paid: its messages say why',
  })

/** What an error of the payment means for the platform. */
async function checkoutError(
  world: World,
  place: PlatformOf,
  { id, revision }: AgenticCheckoutRow,
  error: unknown,
): Promise<unknown> {
  if (error instanceof IdempotencyKeyTaken) return error
  const row = await readCheckout(world, place, id)
  const refused = refusalOf(world, row)
  if (refused) return refused
  if (row.revision !== revision) return changedMeanwhile()
  if (error instanceof InvalidShape)
    return new CheckoutRefusal({ status: 422, code: 'invalid', message: 'The payment is not valid' })
  const [detail] = error instanceof ApiError ? error.details : []
  if (!detail) return error
  if (detail.pointer.startsWith('/payment_method/'))
    return tokenRefused(tokenProblem({ [detail.pointer]: detail.message }))
  return new CheckoutRefusal({
    status: 422,
    code: 'invalid',
    message: `${detail.pointer.split('/').at(-1)} ${detail.message}`,
  })
}

/** The completed checkout, if the payment has completed it. Throws 402 and 409 if it has not. */
async function outcomeOf(
  world: World,
  place: PlatformOf,
  id: string,
  payment: string,
): Promise<CompletedAgenticCheckout> {
  const row = await readCheckout(world, place, id)
  if (row.transaction_id !== payment) {
    const declined = await findTransaction(world, place.account, payment)
    throw new CheckoutRefusal({
      status: 402,
      code: 'payment_declined',
      message: `The payment was declined (${declined?.error_code ?? 'unknown_error'}): the checkout session can be completed with another one`,
      param: '$.payment_data',
    })
  }
  const checkout = await showCheckout(world, row)
  if (checkout.status === 'requires_escalation')
    throw new CheckoutRefusal({
      status: 402,
      code: 'requires_3ds',
      message:
        'The card’s issuer asks for the cardholder: send them to continue_url of the checkout session, and read it again',
      param: '$.payment_data',
    })
  const { order, status } = checkout
  if (status !== 'completed') throw inProgress()
  // the payment is not kept any more: an idempotency key was kept for longer
  if (!order) throw refusalOf(world, row) ?? inProgress()
  return { ...checkout, status, order }
}

/**
 * The checkout, if this token has completed it: the platform has lost the answer, and repeats it under another key.
 * Undefined also if its payment is not kept any more.
 */
async function completedBy(
  world: World,
  { place, id, body }: Completion,
): Promise<CompletedAgenticCheckout | undefined> {
  const row = await readCheckout(world, place, id)
  if (row.status !== 'completed' || row.transaction_id === null) return undefined
  const payment = await findTransaction(world, place.account, row.transaction_id)
  if (payment?.details.delegated_payment?.id !== body.payment_data.instrument?.credential.token)
    return undefined
  const { order, ...checkout } = await showCheckout(world, row)
  return order && { ...checkout, status: 'completed', order }
}
