import type { Connector } from '../connectors/contract/connector.ts'
import { type Check, check, findDifferences } from './check.ts'
import type { ConnectorUnderTest } from './fake-provider.ts'
import { type FaultName, faults } from './faults.ts'
import { recover, send } from './play.ts'
import { approvedPayment, beginFollowUp, capturedPayment, openScenario } from './scenario.ts'

const MINUTE_MS = 60_000
/** A part, so that the provider would move it a second time. */
const PART = 400

/**
 * What becomes of a lost operation once the provider has forgotten its key, and would process it a second time:
 * recovery looks it up first, and another process sends it again without a look.
 */
export function forgottenKeyChecks(connector: Connector, underTest: ConnectorUnderTest): Check[] {
  const { keyLifeMs } = underTest
  const { partial_capture, partial_refunds } = connector.definition.features
  if (keyLifeMs === undefined) return []
  const kinds = [
    ...(partial_capture ? (['capture'] as const) : []),
    ...(partial_refunds ? (['refund'] as const) : []),
  ]
  const pauseMs = keyLifeMs + MINUTE_MS
  return kinds.flatMap((kind) => [
    ...(['the request is lost', 'the answer is lost'] as const).map((fault) =>
      check(`${kind} of a part: ${fault}, and recovery begins after the key is forgotten`, async () => {
        const { scenario, part } = await lostPart(connector, underTest, kind, fault)
        await recover(scenario.harness, part, { pauseMs })
        return findDifferences(scenario)
      }),
    ),
    check(`${kind} of a part: it is sent again after the key is forgotten`, async () => {
      const { scenario, part } = await lostPart(connector, underTest, kind, 'the answer is lost')
      scenario.harness.passTime(pauseMs)
      part.operation.sentBefore = true
      await send(scenario.harness, part)
      await recover(scenario.harness, part)
      return findDifferences(scenario)
    }),
  ])
}

async function lostPart(
  connector: Connector,
  underTest: ConnectorUnderTest,
  kind: 'capture' | 'refund',
  fault: FaultName,
) {
  const scenario = openScenario(connector, underTest)
  const ids =
    kind === 'refund' ? await capturedPayment(scenario) : (await approvedPayment(scenario, 'authorize')).ids
  const part = beginFollowUp(scenario, kind, ids, { amount: PART, final: false })
  await send(scenario.harness, part, { fault: { step: 1, fault: faults[fault] } })
  return { scenario, part }
}
