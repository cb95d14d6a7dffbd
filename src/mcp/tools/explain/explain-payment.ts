import { Type } from 'typebox'
import { Described, Uuid } from '../../../api/schema.ts'
import type { RoutingDecision } from '../../../transactions/views/routing-decision.schema.ts'
import type { TransactionEvent } from '../../../transactions/views/timeline.schema.ts'
import type { TransactionProof } from '../../../verify/proof.schema.ts'
import { PaymentSummary, summaryOf } from '../../payment-summary.ts'
import { Input, Output, reads, tool } from '../../tool.ts'
import { AnyText, marked, untrusted } from '../../untrusted.ts'
import { meaningOf } from './codes.ts'
import { readEvidence } from './evidence.ts'
import { nextStepsOf } from './next-steps.ts'
import { sentencesOf } from './sentences.ts'

const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])
const Part = OrNull(Type.Unknown())

/** Explains a payment from everything that the API tells of it. */
export const explainPayment = tool({
  name: 'explain_payment',
  title: 'Explain a payment',
  description:
    'Explains one payment: what happened when, why it was declined or failed and what to tell the buyer, why it went to this payment service, refunds, disputes, settlements, the proof from the journal, and what can be done now. Read `summary` first.',
  input: Input({ payment_id: Described(Uuid, 'The id of the payment, as find_payments answers it') }),
  output: Output({
    summary: Described(Type.Array(Type.String()), 'What happened, in sentences of Railyard’s own'),
    payment: PaymentSummary,
    decline: Described(
      OrNull(
        Type.Object({
          code: AnyText,
          group: Type.String(),
          meaning: Type.String(),
          what_the_merchant_does: Type.String(),
          tell_the_buyer: Type.String(),
          another_payment_service_may_approve: Type.Boolean(),
          payment_service_code: OrNull(AnyText),
          payment_service_description: OrNull(AnyText),
        }),
      ),
      'Why it was declined or failed; null: it was not',
    ),
    can_be_done_now: Type.Array(
      Type.Object({
        with: Type.String(),
        what: Type.String(),
        at_most: OrNull(Type.Integer()),
      }),
    ),
    routing: Part,
    operations: Part,
    three_d_secure: Part,
    refunds: Part,
    disputes: Part,
    settlements: Part,
    sent_by_the_merchant: Described(
      Type.Unknown(),
      'What the merchant told of the purchase: cart, metadata, descriptor',
    ),
    timeline: Described(Part, 'The newest first'),
    left_out: Described(Type.Array(Type.String()), 'What could not be read, and why'),
  }),
  annotations: reads,
  scopes: ['transactions.read', 'buyers.billing-details.read', 'disputes.read'],
  async run({ payment_id }, { call }) {
    const evidence = await readEvidence(call, payment_id)
    const { payment, routing, proof, refunds, disputes, reportLines, timeline, leftOut } = evidence
    const { cart_items, metadata, statement_descriptor } = payment
    return {
      summary: sentencesOf(evidence),
      payment: summaryOf(payment),
      decline:
        payment.error_code === null
          ? null
          : {
              ...meaningOf(payment.error_code),
              ...marked({
                payment_service_code: payment.raw_response_code,
                payment_service_description: payment.raw_response_description,
              }),
            },
      can_be_done_now: nextStepsOf(payment),
      routing: routing && showRouting(routing),
      operations: proof && showOperations(proof),
      three_d_secure: marked(payment.three_d_secure),
      refunds: marked(refunds),
      disputes: marked(disputes),
      settlements: marked(reportLines),
      sent_by_the_merchant: marked({ cart_items, metadata, statement_descriptor }),
      timeline: timeline?.map(showEntry) ?? null,
      left_out: leftOut,
    }
  },
})

/** Reasons are sentences of Railyard's own, with words of the configuration at most. */
const plainReason = /^[A-Za-z0-9 ,_-]{1,100}$/

function showRouting({ named_payment_service, decisions, eligible, skipped, attempts }: RoutingDecision) {
  const showSkip = ({ reason, ...service }: RoutingDecision['skipped'][number]) => ({
    ...marked(service),
    why: plainReason.test(reason) ? reason : untrusted(reason),
  })
  return {
    named_payment_service,
    decisions: decisions.map(({ skipped: left, ...decision }) => ({
      ...marked(decision),
      skipped: left.map(showSkip),
    })),
    eligible: marked(eligible),
    skipped: skipped.map(showSkip),
    attempts: marked(attempts),
  }
}

function showOperations({ operations, consistent, chain, findings }: TransactionProof) {
  return {
    consistent,
    chain_intact: chain.intact,
    differences: findings.length,
    journal: operations.map(({ calls, ...operation }) => ({
      ...marked(operation),
      calls: calls.length,
    })),
  }
}

/** Of an entry's context: what happened, without requests and answers. */
const shownContext = [
  'status',
  'previous_status',
  'code',
  'error_code',
  'payment_service_id',
  'response_status_code',
] as const

function showEntry({ name, created_at, context }: TransactionEvent) {
  const shown = Object.fromEntries(
    shownContext.filter((member) => context[member] != null).map((member) => [member, context[member]]),
  )
  return { at: created_at, name, ...marked(shown) }
}
