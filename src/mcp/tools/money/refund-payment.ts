import { Type } from 'typebox'
import { Amount, Described } from '../../../api/schema.ts'
import type { Refund } from '../../../transactions/views/refund.schema.ts'
import { changes, Input, tool } from '../../tool.ts'
import { marked } from '../../untrusted.ts'
import { ActionOutput, actionInput, actOnPayment, paymentId } from './action.ts'

export const refundPayment = tool({
  name: 'refund_payment',
  title: 'Refund a payment',
  description:
    'Gives captured money back to the buyer, to the payment method that paid. One call does it: at once if your key may, else it becomes a proposal that people approve. What a dispute has taken is not refunded. Refunds cannot be undone: use `dry_run` first if you are not sure.',
  input: Input({
    ...paymentId,
    amount: Type.Optional(
      Described(
        Amount,
        'In the smallest unit of the payment’s currency (1299 is 12.99 EUR); absent: everything that is left',
      ),
    ),
    ...actionInput,
  }),
  output: ActionOutput,
  annotations: changes(true),
  scopes: ['transactions.read', 'transactions.write'],
  run: ({ payment_id, amount, reason, request_id, dry_run }, context) =>
    actOnPayment<Refund>(context, {
      payment_id,
      action: 'refunds',
      body: { ...(amount !== undefined && { amount }), reason },
      request_id,
      reason,
      dry_run,
      resultOf: ({ id, status, error_code }) => ({ id, status, ...marked({ error_code }) }),
    }),
})
