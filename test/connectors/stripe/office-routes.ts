import { readFileSync } from 'node:fs'
import { type Asked, invalid, membersOf, Refused, secretOf } from './asked.ts'
import type { FakeStripe, Route } from './fake.ts'
import type { FakeIntent } from './objects.ts'

const official: Record<string, Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('../../contracts/judges/stripe/official-objects.json', import.meta.url), 'utf8'),
).objects

const listed = (items: readonly unknown[], url: string) => ({
  object: 'list',
  data: items,
  has_more: false,
  url,
})

const endpointBody = ({ id, url, events, created }: FakeStripe['endpoints'][number]) => ({
  id,
  object: 'webhook_endpoint',
  api_version: '2026-10-28.endive',
  created,
  description: 'Railyard',
  enabled_events: events,
  livemode: false,
  metadata: {},
  status: 'enabled',
  url,
})

function register(stripe: FakeStripe, { form }: Asked) {
  const events = Object.values(membersOf(form, 'enabled_events'))
  const connect = form['connect'] === 'true'
  if (connect && !stripe.isPlatform) throw invalid('connect_not_available')
  if (stripe.endpoints.length >= stripe.mostEndpoints) throw invalid('too_many_endpoints')
  const endpoint = { id: stripe.id('we'), url: form['url'] ?? '', events, created: stripe.seconds(), connect }
  stripe.endpoints.unshift(endpoint)
  return { ...endpointBody(endpoint), secret: secretOf(endpoint) }
}

function deleteEndpoint(stripe: FakeStripe, { id }: Asked) {
  const at = stripe.endpoints.findIndex((endpoint) => endpoint.id === id)
  if (at < 0) throw invalid('resource_missing')
  stripe.endpoints.splice(at, 1)
  return { id, object: 'webhook_endpoint', deleted: true }
}

function upload(stripe: FakeStripe, { parts }: Asked) {
  const id = stripe.id('file')
  stripe.uploads.push({ id, parts, account: stripe.account })
  return { ...official['file'], id, purpose: 'dispute_evidence' }
}

/** Evidence can be submitted once, and a closed dispute stays closed. */
function changeDispute(stripe: FakeStripe, { id, form }: Asked, closes: boolean) {
  const proofs = stripe.uploads.filter((file) => Object.values(membersOf(form, 'evidence')).includes(file.id))
  const accounts = [stripe.disputes.get(id) ?? null, ...proofs.map(({ account }) => account)]
  if (accounts.some((account) => account !== stripe.account))
    throw new Refused(404, { type: 'invalid_request_error', code: 'resource_missing' })
  const before = stripe.objects.get(id)
  if (before) throw invalid('dispute_evidence_submitted')
  stripe.objects.set(id, { ...membersOf(form, 'evidence') })
  return { ...official['dispute'], ...dispute, id, status: closes ? 'lost' : 'under_review' }
}

const dispute = {
  payment_intent: 'pi_1',
  amount: 1000,
  currency: 'eur',
  intended_submission_method: null,
  evidence_details: {
    due_by: null,
    enhanced_eligibility: {},
    has_evidence: true,
    past_due: false,
    submission_count: 1,
    submission_method: 'manual',
  },
}

/** A dispute of a whole payment whose money is taken, and whose evidence is due. */
export const disputeBody = (id: string, { id: payment, amount, currency }: FakeIntent, dueBy: number) => ({
  ...official['dispute'],
  ...dispute,
  id,
  payment_intent: payment,
  amount,
  currency,
  reason: 'fraudulent',
  status: 'needs_response',
  evidence_details: { ...dispute.evidence_details, due_by: dueBy, has_evidence: false, submission_count: 0 },
})

const runBody = (stripe: FakeStripe, id: string, payout: string) => ({
  id,
  object: 'reporting.report_run',
  created: stripe.seconds(),
  error: stripe.reports.fail ? 'Internal error' : null,
  livemode: false,
  parameters: { payout },
  report_type: 'payout_reconciliation.by_id.itemized.4',
  result: stripe.reports.areMade
    ? { ...official['file'], url: `https://files.stripe.com/v1/files/file_${payout}/contents` }
    : null,
  status: stripe.reports.fail ? 'failed' : stripe.reports.areMade ? 'succeeded' : 'pending',
  succeeded_at: null,
})

function runReport(stripe: FakeStripe, { form }: Asked) {
  const id = stripe.id('frr')
  const payout = membersOf(form, 'parameters')['payout'] ?? ''
  stripe.objects.set(id, { payout })
  return { ...runBody(stripe, id, payout), status: 'pending', result: null, error: null }
}

const payoutBody = (id: string) => ({
  ...official['payout'],
  id,
  automatic: !id.includes('manual'),
  reconciliation_status: id.includes('open') ? 'in_progress' : 'completed',
  status: 'paid',
})

/** What the account does beside payments. */
export const officeRoutes: readonly Route[] = [
  [/^POST \/v1\/webhook_endpoints$/, register],
  [
    /^GET \/v1\/webhook_endpoints$/,
    (stripe) => listed(stripe.endpoints.map(endpointBody), '/v1/webhook_endpoints'),
  ],
  [/^DELETE \/v1\/webhook_endpoints\/([^/]+)$/, deleteEndpoint],
  [/^POST \/v1\/files$/, upload],
  [/^POST \/v1\/disputes\/([^/]+)\/close$/, (stripe, asked) => changeDispute(stripe, asked, true)],
  [/^POST \/v1\/disputes\/([^/]+)$/, (stripe, asked) => changeDispute(stripe, asked, false)],
  [/^GET \/v1\/payouts$/, (stripe) => listed(stripe.reports.payouts.map(payoutBody), '/v1/payouts')],
  [/^POST \/v1\/reporting\/report_runs$/, runReport],
  [
    /^GET \/v1\/reporting\/report_runs\/([^/]+)$/,
    (stripe, { id }) => runBody(stripe, id, String(stripe.objects.get(id)?.['payout'])),
  ],
]
