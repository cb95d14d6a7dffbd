import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Words } from '../../api/schema.ts'
import { type Answer, type BuyerDecided, badRequest, type Incoming, json, problem } from '../provider.ts'
import type { Sandbox } from '../sandbox.ts'
import { firstError } from '../shape.ts'
import { answerChallenge } from '../three-d-secure/challenge.ts'

const Decision = Words('approve', 'reject')
const buyerBody = Compile(Type.Object({ service: Type.String(), reference: Type.String(), decision: Decision }))
const cardholderBody = Compile(Type.Object({ acs_transaction_id: Type.String(), decision: Decision }))

const problems: Record<Exclude<BuyerDecided, 'decided'>, Answer> = {
  unknown: problem(409, 'unknown', 'the payment service does not know of it'),
  refused: problem(
    409,
    'refused',
    'the page would not let the buyer: it is decided already, closed, or waits for an answer of the shop or the issuer',
  ),
}

const answerOf = (decided: BuyerDecided): Answer => (decided === 'decided' ? json(200, {}) : problems[decided])

/** A buyer decides on an order or a session at a payment service. */
export async function decideForBuyer(sandbox: Sandbox, { body }: Incoming): Promise<Answer> {
  if (!buyerBody.Check(body)) return badRequest(firstError(buyerBody, body))
  for (const { decide } of sandbox.providers.values()) {
    const decided = await decide?.(sandbox, body.service, body.reference, body.decision)
    if (decided && decided !== 'unknown') return answerOf(decided)
  }
  return answerOf('unknown')
}

/** A cardholder answers the challenge of their card's issuer. */
export async function decideForCardholder(sandbox: Sandbox, { body }: Incoming): Promise<Answer> {
  if (!cardholderBody.Check(body)) return badRequest(firstError(cardholderBody, body))
  return answerOf(await answerChallenge(sandbox, body.acs_transaction_id, body.decision))
}
