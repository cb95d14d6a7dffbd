import { ApiError, badRequest, orNotFound } from '../../api/errors.ts'
import type { ProviderTokenPaymentMethodCreate } from '../../checkout/stored-methods/payment-method-create.schema.ts'
import type { PaymentMethod } from '../../vault/payment-methods/payment-method.schema.ts'
import { findPaymentMethod } from '../../vault/payment-methods/payment-method.store.ts'
import type { World } from '../../world.ts'
import { createTransaction } from '../create/create-transaction.ts'
import { readDraft } from '../create/draft.ts'

/**
 * Stores a card without a payment, at the payment service whose provider made the token: by an authorization of
 * zero, with everything that a payment has for lost answers and challenges. Throws 400 if the payment service
 * cannot do that, and 409 if the external identifier is taken.
 */
export async function storeAtPaymentService(
  world: World,
  account: string,
  body: ProviderTokenPaymentMethodCreate,
  ipAddress: string | null,
): Promise<PaymentMethod> {
  const { currency, country, ...method } = body
  try {
    const { transaction } = await createTransaction(world, {
      account,
      body,
      draft: readDraft(
        {
          amount: 0,
          currency,
          ...(country && { country }),
          store: true,
          payment_service_id: method.payment_service_id,
          payment_method: method,
        },
        world,
      ),
      session: undefined,
      fromBrowser: false,
      storesWithoutPayment: true,
      ipAddress,
      claim: undefined,
      path: '/payment-methods',
    })
    const { payment_method: stored, error_code: code } = transaction
    if (!stored?.id) throw badRequest(`The card was not sent to the payment service: ${code}`)
    return orNotFound(await findPaymentMethod(world, account, stored.id))
  } catch (error) {
    throw error instanceof ApiError && error.code === 'bad_request' ? namingMembersHere(error) : error
  }
}

/** A problem of the transaction's request, which has the members of this one in its payment method. */
const namingMembersHere = ({ message, details }: ApiError): ApiError =>
  badRequest(
    message,
    details.map((detail) => ({ ...detail, pointer: detail.pointer.replace(/^\/payment_method(?=\/)/, '') })),
  )
