import type { Instrument } from '../connectors/contract/call.ts'
import type { Connector } from '../connectors/contract/connector.ts'
import { type Check, check } from './check.ts'
import type { ConnectorUnderTest } from './fake-provider.ts'
import { type FaultName, faults } from './faults.ts'
import { recover, send, settle } from './play.ts'
import { beginPayment, capturedPayment, openingKind, openScenario, type Scenario } from './scenario.ts'

/** What may be kept of the requests and answers: a client that may read a payment reads them. */
export function exchangeChecks(connector: Connector, underTest: ConnectorUnderTest): Check[] {
  const scene = (name: string, find: (scenario: Scenario) => Promise<readonly string[]>): Check =>
    check(name, () => find(openScenario(connector, underTest)))
  return [
    scene('recorded exchanges have no secret, card number or security code', exchangesHaveNoSecrets),
    ...(['the request is lost', 'the answer is lost'] as const).map((fault) =>
      scene(`recorded exchanges name no other payment: ${fault}`, (scenario) =>
        exchangesNameNoOther(scenario, fault),
      ),
    ),
  ]
}

const SHORTEST_SECRET = 3

async function exchangesHaveNoSecrets(scenario: Scenario): Promise<string[]> {
  const { connector, underTest, harness } = scenario
  const { approved, declined } = underTest.instruments
  for (const instrument of [approved, declined])
    await settle(harness, await beginPayment(scenario, openingKind(connector), instrument))
  await harness.deliverNotifications()
  if (connector.operations.capture && connector.operations.authorize) await capturedPayment(scenario)
  const secrets = [
    ...connector.definition.fields
      .filter(({ secret }) => secret)
      .map(({ key, displayName }) => ({ what: displayName, value: underTest.fields[key] })),
    ...[approved, declined].flatMap(({ instrument }) => [
      { what: 'card number', value: instrument?.card?.number },
      { what: 'security code', value: instrument?.card?.securityCode },
      { what: 'network token', value: instrument?.networkToken?.number },
      { what: 'cryptogram', value: instrument?.networkToken?.cryptogram },
      ...tokensIn(instrument?.providerToken).map((value) => ({ what: 'provider’s token', value })),
    ]),
  ]
  // values, not text: a security code of three digits is in many numbers
  const recorded = harness.exchanges.flatMap(({ url, request, response }) =>
    valuesIn([url, request, response]),
  )
  return secrets.flatMap(({ what, value }) =>
    value && value.length >= SHORTEST_SECRET && recorded.some((text) => holds(text, value))
      ? [`an exchange has the ${what}`]
      : [],
  )
}

/** A provider's token, or its encrypted fields: a shorter member names a brand, or what kind it is. */
const tokensIn = (token: Instrument['providerToken'] = {}): string[] =>
  typeof token === 'string' ? [token] : valuesIn(Object.values(token)).filter(({ length }) => length >= 16)

const holds = (text: string, secret: string): boolean =>
  secret.length <= 4 ? text === secret : text.includes(secret)

function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...valuesIn(inner)])
}

/** A payment of another buyer, and then one that has to be looked up. */
async function exchangesNameNoOther(scenario: Scenario, fault: FaultName): Promise<string[]> {
  const { connector, underTest, harness } = scenario
  const begin = () => beginPayment(scenario, openingKind(connector), underTest.instruments.approved)
  const other = await settle(harness, await begin())
  const lost = await begin()
  const before = harness.exchanges.length
  await send(harness, lost, { fault: { step: 1, fault: faults[fault] } })
  await recover(harness, lost)
  const ids = [other.operation.id, other.operation.paymentReference].filter((id) => id !== null)
  const recorded = harness.exchanges.slice(before).flatMap(({ response }) => valuesIn(response))
  return ids.some((id) => recorded.some((text) => text.includes(id)))
    ? ['an exchange names a payment that it is not about']
    : []
}
