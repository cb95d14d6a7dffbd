import { Type } from 'typebox'
import { Described, Text, Uuid } from '../../../api/schema.ts'
import type { Transaction } from '../../../transactions/transaction.schema.ts'
import { read, readAfter } from '../../call-api.ts'
import { DryRun, noCopy } from '../../dry-run/dry-run.ts'
import { PaymentSummary, summaryOf } from '../../payment-summary.ts'
import { Output, type ToolContext } from '../../tool.ts'
import { AnyText, type UntrustedText } from '../../untrusted.ts'
import { actOrPropose, ProposalView, type Proposed } from './proposals.ts'

/** The members that every tool has which moves money or changes what decides on it. */
export const actionInput = {
  reason: Described(Text(3, 100), 'Why, for the people who read it later, and for approvers'),
  request_id: Described(
    Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]{7,99}$' }),
    'Names this one action. Choose a new one for each, and send the same again if you do not know whether it was done: it is done once',
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'True: nothing is done; the answer says what would happen in a sandbox',
    }),
  ),
}

export const paymentId = { payment_id: Described(Uuid, 'The id of the payment') }

const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/** What such a tool answers. */
export const ActionOutput = Output({
  state: Described(
    Type.Unsafe<'done' | 'pending' | 'not_done' | 'waits_for_approval' | 'dry_run'>({
      type: 'string',
      enum: ['done', 'pending', 'not_done', 'waits_for_approval', 'dry_run'],
    }),
    '`done`: it took effect. `pending`: accepted, and not decided yet. `not_done`: the payment service, or an approver, refused. `waits_for_approval`: people decide; ask with get_proposal. `dry_run`: nothing was done',
  ),
  summary: Type.String(),
  result: Described(
    OrNull(
      Type.Object({
        id: OrNull(Type.String()),
        status: Type.String(),
        error_code: OrNull(AnyText),
        url: Type.Optional(Type.String()),
      }),
    ),
    'The refund, the capture, the void or the link; null: none was made',
  ),
  proposal: Described(
    OrNull(ProposalView),
    'What people decide on; null: it was done at once, or is a dry run',
  ),
  dry_run: OrNull(DryRun),
  payment: Described(OrNull(PaymentSummary), 'The payment as it is now; null: none belongs to it'),
})
export type ActionAnswer = {
  state: 'done' | 'pending' | 'not_done' | 'waits_for_approval' | 'dry_run'
  summary: string
  result: {
    id: string | null
    status: string
    error_code: string | UntrustedText | null
    url?: string
  } | null
  proposal: Proposed['proposal'] | null
  dry_run: DryRun | null
  payment: PaymentSummary | null
}

/** An action on a payment. */
interface PaymentAction<Answer> {
  payment_id: string
  /** Below the payment. */
  action: 'refunds' | 'capture' | 'void'
  body: Record<string, unknown> | undefined
  request_id: string
  reason: string
  dry_run: boolean | undefined
  prefer?: string
  /** What the answer of the API tells. */
  resultOf(answer: Answer): NonNullable<ActionAnswer['result']>
}

const nothing = { result: null, proposal: null, dry_run: null, payment: null }

/** Does it at once, proposes it where the caller may not, or tries it in a sandbox. */
export async function actOnPayment<Answer>(
  { call, dryRun }: ToolContext,
  { payment_id, action, body, request_id, reason, dry_run, prefer, resultOf }: PaymentAction<Answer>,
): Promise<ActionAnswer> {
  const path = `/transactions/${payment_id}`
  if (dry_run) {
    const payment = await read<Transaction>(call, path)
    const why_not = cannotCopy(payment)
    const tried = why_not
      ? noCopy(why_not)
      : await dryRun({ kind: 'payment', payment: copyOf(payment), action, body })
    return {
      ...nothing,
      state: 'dry_run',
      summary: dryRunSentence(tried),
      dry_run: tried,
      payment: summaryOf(payment),
    }
  }
  const request = { method: 'POST', path: `${path}/${action}`, body, ...(prefer && { prefer }) } as const
  const done = await actOrPropose<Answer>(call, request, { request_id, reason, resource_id: payment_id })
  const now = await readAfter<Transaction>(call, path)
  const payment = now && summaryOf(now)
  if ('proposal' in done) return { ...nothing, ...done, payment }
  const result = resultOf(done.answer)
  return { ...nothing, ...outcomeOf(result), result, payment }
}

/** The members that a dry run copies. */
const copyOf = ({
  amount,
  currency,
  status,
  authorized_amount,
  captured_amount,
  refunded_amount,
}: Transaction) => ({
  amount,
  currency,
  status,
  authorized_amount,
  captured_amount,
  refunded_amount,
})

const copied: readonly string[] = ['authorization_succeeded', 'capture_succeeded', 'authorization_voided']

/** Why a sandbox cannot have such a payment; undefined: it may. */
function cannotCopy({ status, disputed_amount, gift_card_redemptions }: Transaction): string | undefined {
  if (!copied.includes(status)) return `a payment in the status ${status} cannot be copied`
  if (disputed_amount > 0) return 'a part of the payment is disputed, which a copy cannot be'
  if (gift_card_redemptions.length > 0) return 'gift cards have paid a part of it, which a copy does not have'
  return undefined
}

export function dryRunSentence({ simulated, accepted, why_not, refusal }: DryRun): string {
  if (!simulated) return `Nothing was done. It could not be simulated: ${why_not}.`
  return accepted
    ? 'Nothing was done. In the sandbox the request was accepted; `dry_run.not_simulated` says what may differ.'
    : `Nothing was done. In the sandbox the request was refused: ${refusal?.message}.`
}

const pendingStatuses: readonly string[] = ['pending', 'processing']

/** The state of an action by the status of the refund, capture or void that it made. */
function outcomeOf({ status }: { status: string }): Pick<ActionAnswer, 'state' | 'summary'> {
  if (status === 'succeeded') return { state: 'done', summary: 'It was done.' }
  if (pendingStatuses.includes(status))
    return {
      state: 'pending',
      summary:
        'It was accepted, and its outcome is not known yet. Railyard finds it out; do not send it under another request_id.',
    }
  return { state: 'not_done', summary: `It was not done: it was ${status}. No money has moved.` }
}
