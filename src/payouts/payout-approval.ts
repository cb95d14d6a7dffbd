import type { FastifyRequest } from 'fastify'
import type { ApprovalTerms } from '../api/approval.ts'
import { invalid } from '../api/errors.ts'
import { paymentService } from '../payment-services/payment-service.store.ts'
import type { PayoutCreate } from './payout.schema.ts'

/** The route has checked the body. */
const payoutOf = ({ body }: FastifyRequest) => body as PayoutCreate

const MASK = '***'

/**
 * A payout. One to a stored card can be proposed; a card number would have to be kept until the proposal is
 * decided.
 */
export const payoutApproval: ApprovalTerms = {
  operations: () => ['payout'],
  target: async (world, request) => {
    const { amount, currency, payment_service_id } = payoutOf(request)
    const service = await paymentService(world, request.account, payment_service_id)
    return {
      resource: null,
      money: { amount, currency },
      preconditions: { payment_service_active: service?.active === true && service.deleted_at === null },
    }
  },
  refuseProposal: (request) => {
    if ('number' in payoutOf(request).payment_method)
      throw invalid({
        '/payment_method': 'must be a stored card, by its id: a proposal keeps no card number',
      })
  },
  shownBody: (body) => ({
    ...body,
    ...('buyer' in body && { buyer: MASK }),
    ...('buyer_external_identifier' in body && { buyer_external_identifier: MASK }),
  }),
}
