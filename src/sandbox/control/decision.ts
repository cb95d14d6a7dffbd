import { Type } from 'typebox'
import { Words } from '../../api/schema.ts'
import { Compile } from '../../base/compile.ts'
import { firstError } from '../core/first-error.ts'
import {
  type Answer,
  type BuyerDecisionResult,
  badRequest,
  type Incoming,
  json,
  problem,
} from '../core/provider-messages.ts'
import { answerChallenge } from '../providers/three-d-secure/challenge.ts'
import type { Sandbox } from '../sandbox.ts'

const Decision = Words('approve', 'reject')
const buyerBody = Compile(
  Type.Object({ service: Type.String(), reference: Type.String(), decision: Decision }),
)
const cardholderBody = Compile(Type.Object({ acs_transaction_id: Type.String(), decision: Decision }))

const problems: Record<Exclude<BuyerDecisionResult, 'decided'>, Answer> = {
  unknown: problem(409, 'unknown', 'the payment service does not know of it'),
  refused: problem(
    409,
    'refused',
    'the page would not let the buyer: it is decided already, closed, or waits for an answer of the shop or the issuer',
  ),
}

const decisionAnswer = (decided: BuyerDecisionResult): Answer =>
  decided === 'decided' ? json(200, {}) : problems[decided]

/** Decides for a buyer on an order or a session at a payment service. */
export async function decideForBuyer(sandbox: Sandbox, { body }: Incoming): Promise<Answer> {
  if (!buyerBody.Check(body)) return badRequest(firstError(buyerBody, body))
  for (const { decideForBuyer: decide } of sandbox.providers.values()) {
    const decided = await decide?.(sandbox, body.service, body.reference, body.decision)
    if (decided && decided !== 'unknown') return decisionAnswer(decided)
  }
  return decisionAnswer('unknown')
}

/** Answers for a cardholder the challenge of the card's issuer. */
export async function decideForCardholder(sandbox: Sandbox, { body }: Incoming): Promise<Answer> {
  if (!cardholderBody.Check(body)) return badRequest(firstError(cardholderBody, body))
  return decisionAnswer(await answerChallenge(sandbox, body.acs_transaction_id, body.decision))
}
