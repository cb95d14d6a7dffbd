import { fieldKinds, operators } from '../../src/routing/conditions/condition.schema.ts'
import { typeOf } from './schema-types.ts'

type Kind = keyof typeof operators

const isKind = (name: string): name is Kind => name in operators

/** packages/client/src/generated/conditions.ts: the conditions of flow rules. */
export function conditionTypes(): string {
  const leaves = Object.keys(operators)
    .filter(isKind)
    .flatMap((kind) =>
      Object.entries(operators[kind]).map(
        ([operator, value]) =>
          `  | { field: ${fieldsOf(kind)}; operator: '${operator}'; value: ${typeOf(value, { open: false }, '  ')}; currency?: string | undefined }`,
      ),
    )
  return `/** A condition on one fact; \`currency\` beside an amount is the currency that the rule means. */
export type Leaf =
${leaves.join('\n')}

/** When a flow rule applies. An empty \`all\` is always true. */
export type Condition =
  | { all: readonly Condition[] }
  | { any: readonly Condition[] }
  | { not: Condition }
  | Leaf`
}

const fieldsOf = (kind: Kind): string =>
  kind === 'metadata'
    ? `\`metadata.${'$'}{string}\``
    : Object.entries(fieldKinds)
        .filter(([, each]) => each === kind)
        .map(([name]) => `'${name}'`)
        .join(' | ')
