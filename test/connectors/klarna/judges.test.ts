import { expect, test } from 'vitest'
import { settle } from '../../../src/connector-kit/play.ts'
import { beginOperation, openScenario } from '../../../src/connector-kit/scenario.ts'
import { bnpl } from '../../../src/connectors/bnpl-bnpl/connector.ts'
import type { OperationKind } from '../../../src/connectors/contract/call.ts'
import sdk from '../../contracts/judges/bnpl/kco-rest-java.json' with { type: 'json' }
import { simulatedBnpl, simulatorUrl } from '../redirect-simulators.ts'

/** A path with a star for each id. */
const templateOf = (path: string): string =>
  path
    .split('?')[0]
    ?.replace(/(sessions|authorizations|orders|captures|refunds|tokens)\/[^/]+/g, '$1/*')
    .replace(/\/order$/, '/order') ?? ''

const known = new Set(sdk.cases.map(({ method, path, status }) => `${method} ${templateOf(path)} ${status}`))

/** Every request of these operations, and the status of its answer, as `METHOD path status`. */
async function exchangesOf(kinds: readonly OperationKind[]): Promise<Set<string>> {
  const connector = bnpl(`${simulatorUrl}/bnpl`)
  const seen = new Set<string>()
  for (const kind of kinds) {
    const scenario = openScenario(connector, simulatedBnpl)
    await settle(scenario.harness, await beginOperation(scenario, kind))
    for (const { method, url, status } of scenario.harness.exchanges) {
      const path = new URL(url).pathname.split('/').slice(3).join('/')
      seen.add(`${method} ${templateOf(`/${path}`)} ${status}`)
    }
  }
  return seen
}

test('every request of Klarna’s connector, and its status, is one of Klarna’s own Java SDK', async () => {
  const seen = await exchangesOf(['approval', 'authorize', 'sale', 'capture', 'void', 'refund', 'cancel'])
  expect([...seen].filter((exchange) => !known.has(exchange))).toEqual([])
  expect(seen.size).toBeGreaterThanOrEqual(7)
})
