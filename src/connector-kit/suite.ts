import type { Connector } from '../connectors/contract/connector.ts'
import { definitionProblems } from '../connectors/contract/definition-problems.ts'
import { operationKinds } from './capabilities.ts'
import { type Check, check } from './check.ts'
import { exchangeChecks } from './exchange-checks.ts'
import type { ConnectorUnderTest } from './fake-provider.ts'
import { forgottenKeyChecks } from './forgotten-key-checks.ts'
import { matrixChecks } from './matrix.ts'
import { notificationChecks } from './notification-checks.ts'
import { newOperation, noPayment } from './payment.ts'
import { paymentChecks } from './payment-checks.ts'
import { send } from './play.ts'
import { openScenario } from './scenario.ts'

/** Every check of a connector against its fake provider, in the order in which they are read. */
export function connectorChecks(connector: Connector, underTest: ConnectorUnderTest): Check[] {
  const all = [
    check('the definition is consistent', () => definitionProblems(connector)),
    ...unsupportedChecks(connector, underTest),
    check('credentials that the provider knows are accepted', () => acceptsCredentials(connector, underTest)),
    ...paymentChecks(connector, underTest),
    ...forgottenKeyChecks(connector, underTest),
    ...exchangeChecks(connector, underTest),
    ...notificationChecks(connector, underTest),
    ...matrixChecks(connector, underTest),
  ]
  const impossible = new Map(Object.entries(underTest.impossible ?? {}))
  const unknown = [...impossible.keys()].filter((name) => !all.some((each) => each.name === name))
  return [
    ...all.map((each) => {
      const reason = impossible.get(each.name)
      return reason === undefined ? each : mustFail(each, reason)
    }),
    ...unknown.map((name) => check(name, () => ['`impossible` names it, and there is no such check'])),
  ]
}

/** A check that the provider makes impossible: it must fail, or its line in the table is wrong. */
const mustFail = ({ name, run }: Check, reason: string): Check => ({
  name: `${name} (impossible: ${reason})`,
  run: async () => ((await run()).length > 0 ? [] : ['it passes: take it out of `impossible`']),
})

const unsupportedChecks = (connector: Connector, underTest: ConnectorUnderTest): Check[] =>
  operationKinds
    .filter((kind) => !connector.operations[kind])
    .map((kind) =>
      check(`${kind}, which it does not have, is refused without a request`, async () => {
        const scenario = openScenario(connector, underTest)
        const { harness } = scenario
        await send(harness, { operation: newOperation(scenario, kind, noPayment) })
        return harness.requests() === 0 ? [] : ['a request was sent']
      }),
    )

async function acceptsCredentials(connector: Connector, underTest: ConnectorUnderTest): Promise<string[]> {
  const { harness } = openScenario(connector, underTest)
  const answer = await connector.verifyCredentials(harness.serviceCall())
  return answer === 'accepted' ? [] : [`the answer is: ${answer}`]
}
