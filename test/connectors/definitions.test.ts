import { expect, test } from 'vitest'
import { definitionProblems } from '../../src/connectors/contract/definition-problems.ts'
import { connectors } from '../../src/connectors/registry.ts'

const sandbox = { sandboxUrl: 'http://127.0.0.1:1', clock: { now: () => 0 } }

test.each([...connectors(sandbox).values()].map((each) => [each.definition.id, each] as const))(
  'the definition of %s says what its connector can do',
  (_id, connector) => expect(definitionProblems(connector)).toEqual([]),
)
