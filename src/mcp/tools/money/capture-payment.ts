import { Type } from 'typebox'
import { Amount, Described } from '../../../api/schema.ts'
import type { TransactionCapture } from '../../../transactions/views/capture.schema.ts'
import { changes, Input, tool } from '../../tool.ts'
import { marked } from '../../untrusted.ts'
import { ActionOutput, actionInput, actOnPayment, paymentId } from './action.ts'

export const capturePayment = tool({
  name: 'capture_payment',
  title: 'Capture a payment',
  description:
    'Takes money that an authorization has reserved. Without an amount, everything that is left. A final capture releases the rest.',
  input: Input({
    ...paymentId,
    amount: Type.Optional(
      Described(Amount, 'In the smallest unit of the payment’s currency; absent: everything that is left'),
    ),
    final: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'True: what is not captured is released. False keeps the rest for another capture',
      }),
    ),
    ...actionInput,
  }),
  output: ActionOutput,
  annotations: changes(true),
  scopes: ['transactions.read', 'transactions.write'],
  run: ({ payment_id, amount, final = true, reason, request_id, dry_run }, context) =>
    actOnPayment<TransactionCapture>(context, {
      payment_id,
      action: 'capture',
      body: { ...(amount !== undefined && { amount }), final },
      request_id,
      reason,
      dry_run,
      prefer: 'transaction-capture',
      resultOf: ({ capture_id, status, code }) => ({
        id: capture_id,
        status,
        error_code: marked({ code }).code,
      }),
    }),
})
