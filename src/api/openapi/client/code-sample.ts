import type { RequestExample } from '../examples/request-example.ts'
import { operationNames } from './operation-names.ts'

/** An example of a call, as tools of API documents show it beside curl (`x-codeSamples`). */
export interface CodeSample {
  lang: string
  label: string
  source: string
}

interface SampledOperation {
  operationId: string
  verb: string
  path: string
  /** The names of the parameters in the query that are required. */
  requiredQuery: readonly string[]
  /** Undefined: it has no body. */
  body: RequestExample['body'] | undefined
}

const names: Readonly<Record<string, string>> = operationNames

/** Values of required parameters in the query. */
const queryValues: Readonly<Record<string, string>> = {
  currency: 'USD',
  datetime_range: 'P7D/now',
  samples_timestamp_interval: 'P1D/now',
}

/** The call of an operation with `@railyard/client`. Undefined for an operation without a name. */
export function clientSample({
  operationId,
  verb,
  path,
  requiredQuery,
  body,
}: SampledOperation): CodeSample | undefined {
  const name = names[operationId]
  if (name === undefined) return undefined
  const ids = Array.from(path.matchAll(/\{\w+\}/g), ([id]) => `'${id}'`)
  const query = Object.fromEntries(requiredQuery.map((each) => [each, queryValues[each] ?? `{${each}}`]))
  const given = [
    ...ids,
    ...(body && verb !== 'GET' ? [literal(body, '')] : []),
    ...(requiredQuery.length > 0 ? [literal(query, '')] : []),
  ]
  const call = `railyard.${name}(${given.join(', ')})`
  const source = name.endsWith('.list')
    ? `for await (const item of ${call}) console.log(item)`
    : `const answer = await ${call}`
  return { lang: 'TypeScript', label: '@railyard/client', source }
}

/** A value as it is written in TypeScript. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, indent)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const members = Object.entries(value).map(
    ([name, member]) =>
      `${inner}${/^[a-z_]\w*$/i.test(name) ? name : `'${name}'`}: ${literal(member, inner)},\n`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`
}
