import type { TransactionVoid } from '../../../transactions/actions/release.schema.ts'
import { changes, Input, tool } from '../../tool.ts'
import { marked } from '../../untrusted.ts'
import { ActionOutput, actionInput, actOnPayment, paymentId } from './action.ts'

export const voidPayment = tool({
  name: 'void_payment',
  title: 'Void a payment',
  description:
    'Releases an authorization of which nothing was captured: the buyer’s money is free again. It cannot be undone.',
  input: Input({ ...paymentId, ...actionInput }),
  output: ActionOutput,
  annotations: changes(true),
  scopes: ['transactions.read', 'transactions.write'],
  run: ({ payment_id, reason, request_id, dry_run }, context) =>
    actOnPayment<TransactionVoid>(context, {
      payment_id,
      action: 'void',
      body: undefined,
      request_id,
      reason,
      dry_run,
      prefer: 'transaction-void',
      resultOf: ({ status, code }) => ({ id: null, status, error_code: marked({ code }).code }),
    }),
})
