import { ApiError, badRequest } from '../../api/errors.ts'
import { fingerprintColumns } from '../../api/request/request-fingerprint.ts'
import { timeOf } from '../../base/clock.ts'
import type { OperationInput } from '../../operations/operation.ts'
import type { World } from '../../world.ts'
import { answerTransactionOnce, claimOf, type KeyedTransactionRequest } from '../idempotency.ts'
import type { TransactionRow } from '../transaction.row.ts'
import { readTransaction } from '../transaction.store.ts'
import type { Refund } from '../views/refund.schema.ts'
import { executeAction, type RequestedAction } from './execute-action.ts'

/** What is asked of each part of a payment alike. */
export type FullRefundRequest = Pick<RequestedAction, 'account' | 'transactionId' | 'path' | 'body'> & { input: OperationInput }

interface RefundPart {
  /** A name that is the same whenever the request is repeated. */
  name: string
  kind: 'refund' | 'gift-card-refund'
  input: OperationInput
  left: number
}

/**
 * Gives back everything that is left, of the payment method and of each gift card. Every part is a refund of its own and claims the idempotency key for itself, so
 * a request that is repeated after half of it was done does the other half; one that was answered is answered the same again. A part that cannot be given back does
 * not keep the others. Throws 400 where nothing is left.
 */
export async function refundEverything(world: World, asked: FullRefundRequest, key: string | undefined): Promise<Refund[]> {
  const { account, transactionId, path, body } = asked
  const parts = refundParts(await readTransaction(world, account, transactionId), asked.input)
  const whole: KeyedTransactionRequest = { account, scope: `POST ${path}`, key, body, representation: 'refund' }
  const answered = await readAnsweredParts(world, whole)
  const open = parts.filter(({ name, left }) => (answered ? answered.includes(name) : left > 0 || key !== undefined))
  const refunds = new Map<string, Refund>()
  const problems: unknown[] = []
  const giveBack = async ({ name, kind, input, left }: RefundPart): Promise<void> => {
    const keyed: KeyedTransactionRequest = { ...whole, scope: `${whole.scope} ${name}` }
    try {
      const { body: refund } = await answerTransactionOnce(world, keyed, async (claim) => {
        if (left <= 0) throw nothingLeft()
        return executeAction(world, { account, transactionId, kind, amount: null, input, claim, path, body, allowance: () => 0 })
      })
      refunds.set(name, refund as Refund)
    } catch (error) {
      // what is still under way, or another request's key, is no answer to this one
      if (!(error instanceof ApiError) || error.status === 409) throw error
      problems.push(error)
    }
  }
  for (const part of open) await giveBack(part)
  if (refunds.size === 0) throw problems[0] ?? nothingLeft()
  const all = answered ?? (await storeAnsweredParts(world, whole, transactionId, [...refunds.keys()]))
  const given = parts.filter(({ name }) => all.includes(name))
  // what another request with this key gave back meanwhile is answered under the claim that it left
  for (const part of given) if (!refunds.has(part.name)) await giveBack(part)
  return given.flatMap(({ name }) => refunds.get(name) ?? [])
}

const findAnswered = `
select answer from idempotency_keys where merchant_account_id = $1 and scope = $2 and key = $3`

/** The parts that a request with this key was answered with; undefined: none was answered. Another body is refused by the parts' own claims. */
async function readAnsweredParts(world: World, request: KeyedTransactionRequest): Promise<string[] | undefined> {
  const claim = claimOf(world, request)
  if (!claim) return undefined
  const [stored] = await world.run<{ answer: { parts: string[] } }>(findAnswered, [request.account, claim.scope, claim.key])
  return stored?.answer.parts
}

const keepAnswered = `
insert into idempotency_keys (merchant_account_id, scope, key, fingerprint, canonical_fingerprint, resource_id, representation, answer, created_at)
values ($1, $2, $3, ${fingerprintColumns('$4')}, $5, $6, $7::json, $8)
    on conflict (merchant_account_id, scope, key) do update
   set answer = json_build_object('parts', (select json_agg(distinct part) from (
         select json_array_elements_text(idempotency_keys.answer->'parts') union all select json_array_elements_text(excluded.answer->'parts')) parts (part)))`

/** Keeps what a request is answered with, so that a repetition gives back nothing that became free since. Of two at once each is answered with what both have given back by then. */
async function storeAnsweredParts(world: World, request: KeyedTransactionRequest, transaction: string, parts: string[]): Promise<string[]> {
  const claim = claimOf(world, request)
  if (!claim) return parts
  const { scope, key, fingerprint, representation } = claim
  const answer = JSON.stringify({ parts })
  await world.run(keepAnswered, [request.account, scope, key, fingerprint, transaction, representation, answer, timeOf(world.clock)])
  return (await readAnsweredParts(world, request)) ?? parts
}

const nothingLeft = () => badRequest('Nothing is left to refund')

/** What gift cards paid is not disputed. */
const withoutForce = ({ forced: _, ...input }: OperationInput): OperationInput => input

function refundParts(row: TransactionRow, input: OperationInput): RefundPart[] {
  const captured = row.captured_amount - row.refunded_amount - row.refund_reserved
  const cards = row.gift_cards?.redemptions.filter(({ status }) => status === 'succeeded') ?? []
  return [
    ...(row.payment_method ? [{ name: 'payment-method', kind: 'refund' as const, input, left: captured }] : []),
    ...cards.map(({ id, amount, refunded, refund_reserved }) => ({
      name: id,
      kind: 'gift-card-refund' as const,
      input: { ...withoutForce(input), redemption: id },
      left: amount - refunded - refund_reserved,
    })),
  ]
}
