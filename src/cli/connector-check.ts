import { systemClock } from '../base/clock.ts'
import { capabilitiesOf } from '../connector-kit/capabilities.ts'
import type { ConnectorPackage } from '../connector-kit/connector-package.ts'
import type { ConnectorUnderTest } from '../connector-kit/fake-provider.ts'
import { connectorChecks } from '../connector-kit/suite.ts'
import type { Connector } from '../connectors/contract/connector.ts'
import type { LoadedPackage } from '../connectors/contract/connector-package.ts'
import { connectorsOf, importPackage, UnusablePackage } from '../process/load-connectors.ts'
import { UserError } from './support/user-error.ts'

/**
 * `railyard connector check`: prints what a package's connectors can do, and runs the suite against the fakes
 * that it exports. Answers the exit code: 1 if a check fails.
 */
export async function checkConnector(name: string): Promise<number> {
  const { loaded, connectors } = await usablePackage(name)
  const fakes = hasFakes(loaded) ? await loaded.underTest?.() : undefined
  if (!fakes) throw new UserError(`${name} exports no underTest: there is no fake to check it against`)
  let failed = 0
  for (const connector of connectors) {
    const { id } = connector.definition
    const underTest = fakes[id]
    if (!underTest)
      throw new UserError(
        `${name}: underTest has no ${id}: its keys are the ids of the definitions, and it has ${Object.keys(fakes).join(', ') || 'none'}`,
      )
    printCapabilities(connector)
    failed += await runChecks(connector, underTest)
  }
  return failed > 0 ? 1 : 0
}

async function usablePackage(
  name: string,
): Promise<{ loaded: LoadedPackage; connectors: readonly Connector[] }> {
  try {
    const loaded = await importPackage(name)
    return { loaded, connectors: connectorsOf(name, loaded, { clock: systemClock, isSandbox: true }) }
  } catch (error) {
    throw error instanceof UnusablePackage ? new UserError(error.message) : error
  }
}

const hasFakes = (loaded: LoadedPackage): loaded is ConnectorPackage =>
  'underTest' in loaded && typeof loaded.underTest === 'function'

function printCapabilities(connector: Connector): void {
  const { id, displayName, method, operations, features } = capabilitiesOf(connector)
  console.log(`${id} (${displayName})`)
  console.log(`  method      ${method}`)
  console.log(`  operations  ${operations.join(', ')}`)
  console.log(`  features    ${features.join(', ')}\n`)
}

/** Prints each check's result; answers how many failed. */
async function runChecks(connector: Connector, underTest: ConnectorUnderTest): Promise<number> {
  const checks = connectorChecks(connector, underTest)
  let failed = 0
  for (const { name, run } of checks) {
    const problems = await run()
    if (problems.length > 0) failed += 1
    console.log(`  ${problems.length > 0 ? 'FAIL' : 'ok  '}  ${name}`)
    for (const problem of problems) console.log(`          ${problem}`)
  }
  console.log(`\n${checks.length} checks of ${connector.definition.id}: ${failed} failed`)
  return failed
}
