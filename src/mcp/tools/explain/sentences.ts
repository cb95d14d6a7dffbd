import type { Transaction, TransactionStatus } from '../../../transactions/transaction.schema.ts'
import { amountText } from '../../amount-text.ts'
import { meaningOf } from './codes.ts'
import type { Evidence } from './evidence.ts'

const statusMeanings: Record<TransactionStatus, string> = {
  processing:
    'Its outcome is not known yet. Railyard asks the payment service until it is; nothing needs to be repeated.',
  buyer_approval_pending: 'It waits for the buyer, who has to approve it. Nothing has been charged.',
  authorization_succeeded: 'The money is reserved on the buyer’s account and has not been taken.',
  authorization_declined: 'It was declined. Nothing was charged.',
  authorization_failed: 'It did not succeed. Nothing was charged, and nothing is reserved.',
  authorization_void_pending: 'The release of the reserved money was accepted and is not decided yet.',
  authorization_voided: 'The reserved money was released. Nothing was charged.',
  capture_pending: 'The payment service has accepted to take the money and has not decided yet.',
  capture_succeeded: 'The money was taken.',
}

/**
 * What happened to a payment, in sentences. They are made of amounts, times, ids and words of Railyard's own:
 * no sentence has text of a buyer, a merchant or a payment service in it.
 */
export function sentencesOf(evidence: Evidence): string[] {
  const { payment } = evidence
  return [
    `The payment ${payment.id} of ${money(payment, payment.amount)} was made at ${payment.created_at}.`,
    statusMeanings[payment.status],
    ...moneySentences(payment),
    ...declineSentences(payment),
    ...routingSentences(evidence),
    ...checkSentences(payment),
    ...openSentences(evidence),
    ...refundSentences(evidence),
    ...disputeSentences(evidence),
    ...settlementSentences(evidence),
    ...proofSentences(evidence),
  ]
}

const money = ({ currency }: Transaction, amount: number) => amountText(amount, currency)

function moneySentences(payment: Transaction): string[] {
  const { captured_amount: captured, refunded_amount: refunded, authorized_amount: authorized } = payment
  const { disputed_amount: disputed } = payment
  return [
    ...(captured > 0 && captured !== payment.amount ? [`${money(payment, captured)} of it were taken.`] : []),
    ...(payment.status === 'authorization_succeeded' && authorized !== payment.amount
      ? [`${money(payment, authorized)} are authorized.`]
      : []),
    ...(refunded > 0 ? [`${money(payment, refunded)} were given back.`] : []),
    ...(disputed > 0 ? [`${money(payment, disputed)} are disputed by the buyer’s bank.`] : []),
  ]
}

function declineSentences({ error_code }: Transaction): string[] {
  if (error_code === null) return []
  const { code, group, meaning, what_the_merchant_does } = meaningOf(error_code)
  const why = group === 'decline' ? 'It was declined' : 'It failed for a technical reason'
  return [
    typeof code === 'string' ? `${why} (${code}): ${lowerFirst(meaning)}.` : `${meaning}.`,
    `What the merchant does: ${lowerFirst(what_the_merchant_does)}.`,
  ]
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

function routingSentences({ routing }: Evidence): string[] {
  if (!routing) return []
  const first = routing.attempts[0]
  const route = routing.decisions.findLast(({ action }) => action === 'route-transaction')
  const why = routing.named_payment_service
    ? 'The merchant’s request named its payment service, so no rule decided.'
    : route
      ? `The rule ${route.rule_id} of ${route.flow} (version ${route.rule_version ?? 'unknown'}) chose the payment services; \`routing.decisions\` has the conditions that matched.`
      : first &&
        'No rule matched, so the first payment service in the account’s order that accepts such a payment was asked.'
  return [
    ...(why ? [why] : []),
    ...routing.decisions
      .filter(({ action }) => action === 'decline-early' || action === 'skip-3ds')
      .map(({ action, rule_id, flow }) =>
        action === 'decline-early'
          ? `The rule ${rule_id} of ${flow} declined it before a payment service was asked.`
          : `The rule ${rule_id} of ${flow} left out 3-D Secure.`,
      ),
    ...routing.attempts.map(
      ({ payment_service_id, status, error_code, attempted_at }, index) =>
        `Attempt ${index + 1} at ${attempted_at}, payment service ${payment_service_id}: ${status}${codeNote(error_code)}.`,
    ),
    ...(routing.skipped.length > 0
      ? [`${routing.skipped.length} payment services were left out; \`routing.skipped\` says why.`]
      : []),
  ]
}

function codeNote(code: string | null): string {
  if (code === null) return ''
  const meaning = meaningOf(code)
  return typeof meaning.code === 'string' ? ` (${meaning.code})` : ' (a code of a rule)'
}

function checkSentences({ three_d_secure, anti_fraud_decision, pending_review }: Transaction): string[] {
  return [
    ...(three_d_secure?.status
      ? [`3-D Secure was asked for: ${three_d_secure.status}.`]
      : ['3-D Secure was not asked for.']),
    ...(anti_fraud_decision ? [`The anti-fraud service decided: ${anti_fraud_decision}.`] : []),
    ...(pending_review ? ['A person must still decide a review; until then it is not captured.'] : []),
  ]
}

/** Operations whose outcome is open. */
function openSentences({ proof }: Evidence): string[] {
  const open = proof?.operations.filter(({ decided_at }) => decided_at === null) ?? []
  return open.map(({ kind, status, next_look_up_at }) => {
    const next =
      next_look_up_at === null ? '' : ` Railyard looks at it again at ${next_look_up_at} at the latest.`
    return `A ${kind} has no known outcome yet (${status}).${next} Do not repeat it under another key.`
  })
}

const refundMeanings = {
  processing: 'is under way: accepted, and not decided yet',
  succeeded: 'was accepted by the payment service; banks take some days to show it to the buyer',
  failed: 'failed for a technical reason; the amount can be refunded again',
  declined: 'was declined by the payment service; the amount can be refunded again',
  voided: 'was withdrawn',
} as const

function refundSentences({ refunds }: Evidence): string[] {
  return (refunds ?? []).map(
    ({ id, amount, currency, created_at, status }) =>
      `The refund ${id} of ${amountText(amount, currency)} of ${created_at} ${refundMeanings[status]}.`,
  )
}

const disputeMeanings = {
  inquiry: 'the issuer asks, and no money has moved',
  needs_response: 'evidence is due',
  under_review: 'the issuer has the evidence',
  won: 'it was won',
  lost: 'it was lost',
  accepted: 'the merchant has given up',
  closed: 'it has ended without a loss',
} as const

function disputeSentences({ disputes }: Evidence): string[] {
  return (disputes ?? []).map(({ id, amount, currency, status, opened_at, evidence_due_at }) => {
    const due = evidence_due_at === null ? '' : ` Evidence is due at ${evidence_due_at}.`
    return `The buyer’s bank disputes ${amountText(amount, currency)} since ${opened_at} (${id}): ${disputeMeanings[status]}.${due}`
  })
}

function settlementSentences({ payment, reportLines }: Evidence): string[] {
  if (!reportLines) return []
  if (reportLines.length === 0)
    return payment.captured_amount > 0 ? ['No settlement report has named it yet.'] : []
  return reportLines.map(
    ({ type, amount, currency, posted_at }) =>
      `A settlement report has it as ${type} of ${amountText(amount, currency)}, posted at ${posted_at}.`,
  )
}

function proofSentences({ proof }: Evidence): string[] {
  if (!proof) return []
  return [
    proof.consistent
      ? 'Its amounts and its status equal those that its journal gives, and the journal is unchanged.'
      : 'Its amounts or its status differ from its journal: an operator must look at it before anybody moves more money.',
  ]
}
