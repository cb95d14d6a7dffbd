import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { badRequest, gatewayTimeout, invalid, notFound } from '../../api/errors.ts'
import { splitFingerprint } from '../../api/request/request-fingerprint.ts'
import { canonicalJson } from '../../api/values/canonical-json.ts'
import { timeOf } from '../../base/clock.ts'
import type { ServiceCall } from '../../connectors/contract/call.ts'
import type { Connector, DisputeAnswer, EvidenceSubmission } from '../../connectors/contract/connector.ts'
import { instrumentedHttp } from '../../connectors/wire/http.ts'
import { recordChange } from '../../database/logs/audit-log.ts'
import type { Tables } from '../../database/tables.ts'
import { type Claim, retryJournalWrite } from '../../operations/journal/journal.ts'
import { notificationUrl } from '../../payment-services/notification-url.ts'
import { paymentService } from '../../payment-services/payment-service.store.ts'
import type { World } from '../../world.ts'
import { findTransaction, readTransaction } from '../transaction.store.ts'
import type { DisputeEvidenceCreate } from './dispute.schema.ts'
import { type DisputeRow, readDispute } from './dispute.store.ts'
import { announceDispute } from './record-dispute.ts'

/** A request of the merchant about a dispute. */
interface DisputeRequest {
  account: string
  id: string
  /** The claim on the idempotency key; undefined: the request has none. */
  claim: Claim | undefined
}

/** The rows that the stored answer of a request holds. */
export interface AnsweredDispute {
  dispute: DisputeRow
}

type DisputeOperations = NonNullable<Connector['disputes']>

/**
 * Submits evidence. Nothing of it is stored. An unknown outcome is a 504, and the client sends the request
 * again: the payment service gets the same idempotency key for the same content, so a second request has no
 * second effect. Throws 400 if no evidence can be submitted, or if the payment service refuses it.
 */
export async function submitEvidence(
  world: World,
  request: DisputeRequest,
  { text: sent = {}, files = [], agent_evidence_subject: subject }: DisputeEvidenceCreate,
): Promise<AnsweredDispute> {
  const dispute = await readDispute(world, request.account, request.id)
  const text =
    subject === undefined ? sent : { ...sent, ...(await agentEvidenceText(world, dispute, subject, sent)) }
  if (Object.keys(text).length === 0 && files.length === 0) throw badRequest('Evidence needs text or a file')
  refuseWithoutTime(world, dispute)
  const { call, disputes } = await disputeCall(world, dispute, 'evidence')
  const submission = {
    key: requestKey(dispute, request.claim, { text, files }),
    dispute: dispute.payment_service_dispute_id,
    ...(await paymentIdentifiers(world, dispute)),
    text,
    files: files.map(({ content, ...file }) => ({ ...file, content: Buffer.from(content, 'base64') })),
  }
  requireDone(await disputes.submitEvidence(call, submission))
  return recordAnswer(world, request, 'evidence_submitted_at', 'evidence submitted')
}

/** The most characters of a text that payment services are sent, as for what the merchant writes. */
const MAX_TEXT_LENGTH = 20_000

/** What agents' protocols prove of the disputed payment, as text. Throws 400 if it cannot be sent under the subject. */
async function agentEvidenceText(
  world: World,
  { merchant_account_id: account, transaction_id: payment }: DisputeRow,
  subject: string,
  sent: Record<string, string>,
): Promise<Record<string, string>> {
  if (Object.hasOwn(sent, subject))
    throw invalid({ '/agent_evidence_subject': 'names a text that the request has already' })
  const evidence = payment ? (await readTransaction(world, account, payment)).details.agent_evidence : null
  if (!evidence?.length) throw invalid({ '/agent_evidence_subject': 'the payment has no agent evidence' })
  const text = evidence.map(({ protocol, kind, content }) => `${protocol} ${kind}:\n${content}`).join('\n\n')
  if (text.length > MAX_TEXT_LENGTH)
    throw invalid({
      '/agent_evidence_subject': `the payment’s agent evidence has more than ${MAX_TEXT_LENGTH} characters: send it as a file`,
    })
  return { [subject]: text }
}

/**
 * Gives a dispute up: the money stays with the buyer. Unknown outcomes are as those of `submitEvidence`.
 * Throws 400 if the dispute has ended, or if the payment service refuses.
 */
export async function acceptDispute(world: World, request: DisputeRequest): Promise<AnsweredDispute> {
  const dispute = await readDispute(world, request.account, request.id)
  refuseEnded(dispute)
  const { call, disputes } = await disputeCall(world, dispute, 'accept_dispute')
  const key = requestKey(dispute, request.claim, 'accept')
  const accepted = {
    key,
    id: dispute.payment_service_dispute_id,
    ...(await paymentIdentifiers(world, dispute)),
  }
  requireDone(await disputes.accept(call, accepted))
  return recordAnswer(world, request, 'accepted_at', 'accepted')
}

function refuseEnded({ status, closed_at, accepted_at }: DisputeRow): void {
  if (closed_at !== null) throw badRequest(`The dispute has ended: it is ${status}`)
  if (accepted_at !== null) throw badRequest('The dispute was accepted')
}

function refuseWithoutTime({ clock }: World, dispute: DisputeRow): void {
  refuseEnded(dispute)
  const { status, evidence_due_at: due, evidence_submitted_at: submitted } = dispute
  if (submitted !== null) throw badRequest('Evidence was submitted, which ends the time for it')
  if (due === null || status === 'under_review')
    throw badRequest(`A dispute in status ${status} takes no evidence`)
  if (Date.parse(due) <= clock.now()) throw badRequest(`The time for evidence ended at ${due}`)
}

/** Throws 404 if the payment service is gone, 400 if it takes no answers to disputes. */
async function disputeCall(
  world: World,
  { merchant_account_id: account, payment_service_id: id }: DisputeRow,
  operation: 'evidence' | 'accept_dispute',
): Promise<{ call: ServiceCall; disputes: DisputeOperations }> {
  const service = await paymentService(world, account, id)
  const connector = service && world.connectors.get(service.payment_service_definition_id)
  if (!connector) throw notFound()
  if (!connector.disputes)
    throw badRequest('The payment service takes answers to disputes on its own pages only')
  const { request: http } = instrumentedHttp(world, { definition: connector.definition.id, operation })
  return {
    call: {
      http,
      service: { id, fields: service.values, notificationUrl: notificationUrl(world, account, id) },
    },
    disputes: connector.disputes,
  }
}

/** The identifiers of the disputed payment; empty: it has none, or it is not known. */
async function paymentIdentifiers(
  world: World,
  { merchant_account_id: account, transaction_id: payment }: DisputeRow,
): Promise<Pick<EvidenceSubmission, 'identifiers'>> {
  const transaction = payment === null ? undefined : await findTransaction(world, account, payment)
  return transaction?.identifiers ? { identifiers: transaction.identifiers } : {}
}

/**
 * The payment service's idempotency key, a UUID: the same for a request that is sent again, and another one
 * for another content.
 */
function requestKey({ id }: DisputeRow, claim: Claim | undefined, content: unknown): string {
  const hash = createHash('sha256')
    .update(canonicalJson([id, claim?.key ?? null, content]))
    .digest('hex')
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-')
}

function requireDone(answer: DisputeAnswer): void {
  if (answer.status === 'refused') throw badRequest(`The payment service refuses it: ${answer.reason}`)
  if (answer.status === 'unknown') throw gatewayTimeout()
}

/** Writes what was done with its event, its audit entry and the answer for idempotent replays. */
const recordAnswer = (
  world: World,
  { account, id, claim }: DisputeRequest,
  column: 'evidence_submitted_at' | 'accepted_at',
  name: string,
): Promise<AnsweredDispute> =>
  retryJournalWrite(() =>
    world.db.transaction().execute(async (db) => {
      const now = timeOf(world.clock)
      const dispute = await db
        .updateTable('disputes')
        .set({ [column]: now, updated_at: now })
        .where('merchant_account_id', '=', account)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      if (claim) await storeAnswer(db, claim, dispute, now)
      await announceDispute(db, world, 'dispute.updated', dispute)
      await recordChange(db, world, { account, action: 'updated', resource: { type: 'dispute', id, name } })
      return { dispute }
    }),
  )

/** The claim on the idempotency key with the answer; the primary key refuses a second one. */
async function storeAnswer(
  db: Kysely<Tables>,
  { scope, key, representation, fingerprint }: Claim,
  dispute: DisputeRow,
  now: string,
): Promise<void> {
  const [sent, canonical] = splitFingerprint(fingerprint)
  await db
    .insertInto('idempotency_keys')
    .values({
      merchant_account_id: dispute.merchant_account_id,
      scope,
      key,
      fingerprint: sent,
      canonical_fingerprint: canonical,
      resource_id: dispute.id,
      representation,
      answer: JSON.stringify({ dispute } satisfies AnsweredDispute),
      created_at: now,
    })
    .execute()
}
