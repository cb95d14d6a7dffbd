import { type Capabilities, capabilitiesOf } from '../../src/connector-kit/capabilities.ts'
import { matrixChecks } from '../../src/connector-kit/matrix.ts'
import { connectorChecks } from '../../src/connector-kit/suite.ts'
import {
  antiFraudConnectors,
  connectors,
  giftCardConnectors,
  schemeServices,
} from '../../src/connectors/registry.ts'
import { suiteEntries } from '../../test/connectors/suite-entries.ts'
import { code, page, table } from './markdown.ts'

const clock = { now: () => 0 }
const sandboxUrl = 'http://127.0.0.1'

const inProduction = connectors({ sandboxUrl: undefined, clock })

/** The connectors that can do the same, in one row. */
interface Row {
  ids: string[]
  methods: string[]
  capabilities: Capabilities
}

function rowsOf(wanted: (id: string) => boolean): Row[] {
  const rows = new Map<string, Row>()
  for (const connector of connectors({ sandboxUrl, clock }).values()) {
    const capabilities = capabilitiesOf(connector)
    const { id, method, operations, features, simulatedFeatures } = capabilities
    if (!wanted(id)) continue
    const key = JSON.stringify([operations, features, simulatedFeatures])
    const row = rows.get(key) ?? { ids: [], methods: [], capabilities }
    row.ids.push(id)
    row.methods.push(method)
    rows.set(key, row)
  }
  return [...rows.values()]
}

const codes = (names: readonly string[]) => names.map(code).join(', ')

const capabilityTable = (rows: readonly Row[]) =>
  table(
    ['definition', 'method', 'operations', 'features', 'only with a simulator'],
    rows.map(({ ids, methods, capabilities: { operations, features, simulatedFeatures } }) => [
      codes(ids),
      codes([...new Set(methods)]),
      codes(operations),
      codes(features),
      simulatedFeatures.length === features.length ? 'all' : codes(simulatedFeatures),
    ]),
  )

/** What belongs to no payment service: there in production, or with the simulator only. */
function otherServices(): string[][] {
  const threeDSecureServer = { url: 'https://3ds.example', token: undefined }
  const real = schemeServices({ sandboxUrl: undefined, threeDSecureServer, clock })
  const giftCards = [...giftCardConnectors({ sandboxUrl: undefined, clock }).keys()]
  const services = [
    ['3DS server', real.threeDSecureServer, 'the operator’s own (`THREE_DS_SERVER_URL`)'],
    ['network tokens', real.tokenService, 'yes'],
    ['account updater', real.accountUpdater, 'yes'],
    ['gift cards', giftCards.length > 0, codes(giftCards)],
    ['anti-fraud', antiFraudConnectors({ sandboxUrl: undefined }).size > 0, 'yes'],
  ] as const
  return services.map(([name, isThere, real]) => [name, isThere ? real : 'no: only with the simulator'])
}

/** The checks that must fail, by the reason that they have in common. */
const impossibleOf = (impossible: Readonly<Record<string, string>> = {}): string =>
  [...Map.groupBy(Object.entries(impossible), ([, reason]) => reason)]
    .map(([reason, checks]) => `${checks.map(([name]) => `“${name}”`).join(', ')}: ${reason}`)
    .join('; ')

/** How many checks the suite makes of each connector that it runs on, and which of them must fail. */
const suiteTable = () =>
  table(
    ['definition', 'checks', 'of them operation × fault × crash', 'what the provider makes impossible'],
    suiteEntries.map(([connector, underTest]) => [
      code(connector.definition.id),
      `${connectorChecks(connector, underTest).length}`,
      `${matrixChecks(connector, underTest).length}`,
      impossibleOf(underTest.impossible),
    ]),
  )

/** docs/reference/connectors.md */
export const connectorsPage = () =>
  page(
    '# Connectors',
    `What each payment service can do here. \`GET /payment-service-definitions\` answers the same: \`supported_features\`, and \`simulated_features\` for those that work only with the sandbox's simulator. More connectors come from other
packages: [Write a connector](../guides/write-a-connector.md).`,
    '## In production and in the sandbox',
    capabilityTable(rowsOf((id) => inProduction.has(id))),
    '## In the sandbox only',
    'A simulator answers; there is no provider behind these definitions.',
    capabilityTable(rowsOf((id) => !inProduction.has(id))),
    '## Other services',
    table(['service', 'a real provider'], otherServices()),
    '## The connectors that the suite runs on',
    `The [suite of the connector kit](../guides/write-a-connector.md#what-is-checked), each connector against its fake provider: \`npx vitest run test/connectors\`. The other methods of these
providers run the same code. \`acme-card\` is the template.`,
    suiteTable(),
  )
