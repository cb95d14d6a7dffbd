import { decisionProblem, expiryProblem, simulateDecision, simulateExpiry } from './buyer-decision.ts'
import { pendingProblem, simulatePendingEnd } from './pending-operation.ts'
import { refundSettlementProblem, reportLineProblem, simulateReportLine } from './report-line.ts'
import type { EventName, EventOf } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext } from './simulation-context.ts'
import { cardProblem, changeToken, methodProblem, simulateCardUpdate, simulateMethodUpdate, tokenProblem } from './stored-method.ts'

interface Simulation<Name extends EventName> {
  /** Why it does not fit the transaction as it is; null: it fits. */
  problem: (situation: SimulationContext) => string | null
  /** Throws 400 where something of the body does not fit. */
  run: (situation: SimulationContext, body: EventOf<Name>) => Promise<void>
}

/** By event. */
export const simulations: { [Name in EventName]: Simulation<Name> } = {
  settled: { problem: reportLineProblem('settled'), run: simulateReportLine },
  refund_settled: { problem: refundSettlementProblem, run: simulateReportLine },
  disputed: { problem: reportLineProblem('disputed'), run: simulateReportLine },
  dispute_reversed: { problem: reportLineProblem('dispute_reversed'), run: simulateReportLine },
  completed: { problem: pendingProblem, run: simulatePendingEnd },
  declined: { problem: pendingProblem, run: simulatePendingEnd },
  failed: { problem: pendingProblem, run: simulatePendingEnd },
  approved: { problem: decisionProblem, run: simulateDecision },
  rejected: { problem: decisionProblem, run: simulateDecision },
  expired: { problem: expiryProblem, run: simulateExpiry },
  card_updated: { problem: cardProblem, run: (situation, { expiration_date: expiry }) => simulateCardUpdate(situation, 'updated', expiry ?? null) },
  card_closed: { problem: cardProblem, run: (situation) => simulateCardUpdate(situation, 'closed', null) },
  token_suspended: { problem: tokenProblem('token_suspended'), run: (situation) => changeToken(situation, { event: 'token_suspended' }) },
  token_resumed: { problem: tokenProblem('token_resumed'), run: (situation) => changeToken(situation, { event: 'token_resumed' }) },
  token_deleted: { problem: tokenProblem('token_deleted'), run: (situation) => changeToken(situation, { event: 'token_deleted' }) },
  method_paused: methodSimulation('method_paused'),
  method_resumed: methodSimulation('method_resumed'),
  method_authorization_updated: methodSimulation('method_authorization_updated'),
  method_authorization_update_required: methodSimulation('method_authorization_update_required'),
  method_authorization_expiring: methodSimulation('method_authorization_expiring'),
}

function methodSimulation(event: Parameters<typeof methodProblem>[0]) {
  return { problem: methodProblem(event), run: (situation: SimulationContext) => simulateMethodUpdate(situation, { event }) }
}

/** Throws 400 that names the events that fit, and nothing has happened. */
export async function simulateEvent<Name extends EventName>(situation: SimulationContext, event: Name, body: EventOf<Name>): Promise<void> {
  const { problem: obstacle, run }: Simulation<Name> = simulations[event]
  const problem = obstacle(situation)
  if (problem !== null) {
    const fitting = Object.entries(simulations).flatMap(([name, other]) => (other.problem(situation) === null ? name : []))
    throw invalidEvent(`does not fit: ${problem}. ${fitting.length > 0 ? `These fit now: ${fitting.join(', ')}` : 'No event fits now'}`)
  }
  await run(situation, body)
}
