import type { ApiDocument, Schema } from './schema-values.ts'

/** Ids, points in time and fixed words identify no person. */
const tellingFormats = new Set([undefined, 'date'])

const typesOf = ({ type }: Schema) => [type ?? []].flat()
const isOneOfWords = ({ enum: words, const: word }: Schema) => words !== undefined || word !== undefined
const isText = (node: Schema) =>
  typesOf(node).includes('string') && !isOneOfWords(node) && tellingFormats.has(node.format)
/** Takes any value, or any member. */
const isOpen = (node: Schema) =>
  (typesOf(node).length === 0 && !node.anyOf && !isOneOfWords(node)) ||
  (typesOf(node).includes('object') && !node.properties && typeof node.additionalProperties !== 'object')

/**
 * Every place of the API, in requests and answers, that holds text or an open value and lies under no mark of
 * personal data: `Component.member`, or what an operation has itself, `operation_id.parameter`. Members of
 * lists and maps are those of the member that holds them. Below a place that `isDecided` nothing is looked
 * for.
 */
export function undecidedFields(
  { paths, components }: ApiDocument,
  isDecided: (owner: string, member: string) => boolean,
): string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const look = (node: Schema, owner: string, member: string): void => {
    if (node['x-personal'] !== undefined || (member !== '' && isDecided(owner, member))) return
    if (node.$ref !== undefined) {
      const name = node.$ref.split('/').at(-1) ?? ''
      if (seen.has(name)) return
      seen.add(name)
      look(components.schemas[name] ?? {}, name, '')
      return
    }
    const isRoot = member === ''
    if ((isText(node) || isOpen(node)) && !isDecided(owner, member)) found.add(`${owner}.${member}`)
    for (const [name, inner] of Object.entries(node.properties ?? {}))
      look(inner, owner, isRoot ? name : `${member}.${name}`)
    for (const inner of [node.items, node.additionalProperties])
      if (typeof inner === 'object') look(inner, owner, member)
    for (const branch of node.anyOf ?? []) look(branch, owner, member)
  }
  for (const { operationId, parameters = [], requestBody, responses } of Object.values(paths).flatMap(
    (item) => Object.values(item),
  )) {
    for (const { name, in: place, schema } of parameters)
      if (place === 'query') look(schema, operationId, name)
    for (const { schema } of Object.values(requestBody?.content ?? {})) look(schema, operationId, '')
    for (const [status, { content = {} }] of Object.entries(responses))
      if (status.startsWith('2'))
        for (const { schema } of Object.values(content)) look(schema, operationId, '')
  }
  return [...found].sort()
}
