import { Type } from 'typebox'
import { Nullable, Words } from '../../api/schema.ts'
import { Compile } from '../../base/compile.ts'
import { declinedAmounts, failedAmounts } from '../core/amounts.ts'
import { type BookedOperation, record } from '../core/books.ts'
import { firstError } from '../core/first-error.ts'
import type { SimulatedResult } from '../core/operation.ts'
import { approveNow, isPending, notifyOfResult } from '../core/pending.ts'
import { type Answer, badRequest, type Incoming, json, problem } from '../core/provider-messages.ts'
import { type Provider, type Sandbox, timestamp } from '../sandbox.ts'

const endBody = Compile(
  Type.Object({
    key: Type.String(),
    outcome: Words('completed', 'declined', 'failed'),
    code: Nullable(Type.String()),
  }),
)

/**
 * Ends a pending operation now with this outcome and sends the notification, as if its time had come. 409: it
 * cannot end like this.
 */
export async function endPending(sandbox: Sandbox, { body }: Incoming): Promise<Answer> {
  if (!endBody.Check(body)) return badRequest(firstError(endBody, body))
  const { key, outcome, code } = body
  const booked = sandbox.books.operations.get(key)
  const payment = booked && sandbox.books.payments.get(booked.result.payment_id)
  if (!payment) return problem(409, 'unknown_operation', 'the payment service does not know of it')
  const isDone = outcome === 'completed' && booked.result.status === 'approved'
  if (!isPending(booked) && !isDone)
    return problem(
      409,
      'decided',
      `the payment service has decided it by itself meanwhile (${booked.result.status}); sync`,
    )
  if (outcome === 'completed') {
    if (!isDone) approveNow(sandbox, key)
  } else {
    const verdict = chooseRefusal(sandbox.providers.get(payment.provider), booked, outcome, code)
    if ('problem' in verdict) return problem(409, 'no_refusal', verdict.problem)
    record(sandbox.books, { entry: 'refused', key, at: timestamp(sandbox), verdict })
  }
  await notifyOfResult(sandbox, payment, booked.result)
  return json(200, booked.result)
}

const codes = {
  declined: { usual: 'issuer_decline', all: declinedAmounts.map(([, code]) => code as string) },
  failed: { usual: 'service_error', all: failedAmounts.map(([, code]) => code as string) },
} as const

/**
 * The code with which the provider refuses an operation that it has accepted: the requested one, or its usual
 * one.
 */
function chooseRefusal(
  provider: Provider | undefined,
  { result: { kind } }: BookedOperation,
  status: 'declined' | 'failed',
  requested: string | null,
): SimulatedResult | { problem: string } {
  const limited = provider?.lateRefusals?.(kind)
  const { usual, all } = codes[status]
  const possible = limited ? all.filter((code) => limited.includes(code)) : all
  const [first] = possible
  if (first === undefined)
    return { problem: `${kind}: this payment service never answers ${status} once it has accepted it` }
  if (requested === null) return { status, code: possible.includes(usual) ? usual : first }
  if (limited && !limited.includes(requested))
    return {
      problem: `this payment service has no word for ${requested} here; it has ${possible.join(', ')}`,
    }
  return { status, code: requested }
}
