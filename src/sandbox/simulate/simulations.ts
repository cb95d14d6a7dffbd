import { decisionProblem, expiryProblem, simulateDecision, simulateExpiry } from './buyer-decision.ts'
import { disputeProblem, simulateDispute } from './dispute.ts'
import { pendingProblem, simulatePendingEnd } from './pending-operation.ts'
import { refundSettlementProblem, reportLineProblem, simulateReportLine } from './report-line.ts'
import type { EventName, EventOf } from './simulate.schema.ts'
import { invalidEvent, type SimulationContext } from './simulation-context.ts'
import {
  cardProblem,
  changeToken,
  methodProblem,
  simulateCardUpdate,
  simulateMethodUpdate,
  tokenProblem,
} from './stored-method.ts'

interface Simulation<Name extends EventName> {
  /** The reason why the event does not fit the transaction; null: it fits. */
  problem: (context: SimulationContext) => string | null
  /** Throws 400 if a member of the body does not fit. */
  run: (context: SimulationContext, body: EventOf<Name>) => Promise<void>
}

/** The simulation of each event. */
export const simulations: { [Name in EventName]: Simulation<Name> } = {
  settled: { problem: reportLineProblem('settled'), run: simulateReportLine },
  refund_settled: { problem: refundSettlementProblem, run: simulateReportLine },
  disputed: { problem: reportLineProblem('disputed'), run: simulateReportLine },
  dispute_reversed: { problem: reportLineProblem('dispute_reversed'), run: simulateReportLine },
  dispute_notified: { problem: disputeProblem, run: simulateDispute },
  completed: { problem: pendingProblem, run: simulatePendingEnd },
  declined: { problem: pendingProblem, run: simulatePendingEnd },
  failed: { problem: pendingProblem, run: simulatePendingEnd },
  approved: { problem: decisionProblem, run: simulateDecision },
  rejected: { problem: decisionProblem, run: simulateDecision },
  expired: { problem: expiryProblem, run: simulateExpiry },
  card_updated: {
    problem: cardProblem,
    run: (context, { expiration_date: expiry }) => simulateCardUpdate(context, 'updated', expiry ?? null),
  },
  card_closed: { problem: cardProblem, run: (context) => simulateCardUpdate(context, 'closed', null) },
  token_suspended: {
    problem: tokenProblem('token_suspended'),
    run: (context) => changeToken(context, { event: 'token_suspended' }),
  },
  token_resumed: {
    problem: tokenProblem('token_resumed'),
    run: (context) => changeToken(context, { event: 'token_resumed' }),
  },
  token_deleted: {
    problem: tokenProblem('token_deleted'),
    run: (context) => changeToken(context, { event: 'token_deleted' }),
  },
  method_paused: methodSimulation('method_paused'),
  method_resumed: methodSimulation('method_resumed'),
  method_authorization_updated: methodSimulation('method_authorization_updated'),
  method_authorization_update_required: methodSimulation('method_authorization_update_required'),
  method_authorization_expiring: methodSimulation('method_authorization_expiring'),
}

function methodSimulation(event: Parameters<typeof methodProblem>[0]) {
  return {
    problem: methodProblem(event),
    run: (context: SimulationContext) => simulateMethodUpdate(context, { event }),
  }
}

/**
 * Simulates the event. An event that does not fit throws 400 with the events that do; nothing has happened
 * then.
 */
export async function simulateEvent<Name extends EventName>(
  context: SimulationContext,
  event: Name,
  body: EventOf<Name>,
): Promise<void> {
  const { problem: findProblem, run }: Simulation<Name> = simulations[event]
  const problem = findProblem(context)
  if (problem !== null) {
    const fitting = Object.entries(simulations).flatMap(([name, other]) =>
      other.problem(context) === null ? name : [],
    )
    throw invalidEvent(
      `does not fit: ${problem}. ${fitting.length > 0 ? `These fit now: ${fitting.join(', ')}` : 'No event fits now'}`,
    )
  }
  await run(context, body)
}
