import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { acme } from '../../connectors/_template/connector.ts'
import { underTest } from '../../connectors/_template/fake.ts'
import acmePackage from '../../connectors/_template/index.ts'
import { connectorContract } from '../support/connector-contract.ts'

connectorContract(acme(), underTest)

test('the template’s package has this connector and its fake', async () => {
  const loaded = acmePackage.connectors()
  expect(loaded.map(({ definition }) => definition.id)).toEqual(['acme-card'])
  expect(await acmePackage.underTest()).toEqual({ 'acme-card': underTest })
})

test('the template’s own tests pass', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--test'], { cwd: 'connectors/_template' })
  expect(stdout).toMatch(/^. fail 0$/m)
})
