import type { TSchema } from 'typebox'
import type { Tool } from '../../src/mcp/tool.ts'
import { tools } from '../../src/mcp/tools/tools.ts'
import { code, page, table } from './markdown.ts'

/** The parts of a schema that a reader needs. */
interface Shape {
  type?: string | string[]
  description?: string
  enum?: unknown[]
  format?: string
  default?: unknown
  minimum?: number
  maximum?: number
  items?: Shape
}

function typeOf({ type, enum: words, format, items, minimum, maximum }: Shape): string {
  if (words) return words.map((word) => code(String(word))).join(', ')
  if (type === 'array') return `list of ${items ? typeOf(items) : 'values'}`
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : ''
  return `${format ?? (Array.isArray(type) ? type.join(' or ') : (type ?? 'value'))}${range}`
}

function memberRows(schema: TSchema & { properties?: Record<string, TSchema>; required?: string[] }) {
  return Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const shape: Shape = JSON.parse(JSON.stringify(member))
    const fallback = shape.default === undefined ? '' : `default ${code(String(shape.default))}`
    return [
      code(name),
      schema.required?.includes(name) ? 'required' : fallback,
      typeOf(shape),
      shape.description ?? '',
    ]
  })
}

const kindOf = ({ annotations }: Tool): string => {
  if (annotations.readOnlyHint) return 'reads'
  return annotations.destructiveHint ? 'changes, and cannot be undone' : 'changes'
}

function section(tool: Tool): string {
  const rows = memberRows(tool.input)
  return [
    `## ${tool.name}`,
    tool.description,
    tool.scopes.length > 0
      ? `It ${kindOf(tool)}. Scopes: ${tool.scopes.map(code).join(', ')}.`
      : `It ${kindOf(tool)}, and needs no scope.`,
    ...(rows.length > 0 ? [table(['member', '', 'type', 'meaning'], rows)] : ['It takes no members.']),
    `Answers ${Object.keys(tool.output.properties).map(code).join(', ')}.`,
  ].join('\n\n')
}

/** docs/reference/mcp-tools.md */
export const mcpToolsPage = () =>
  page(
    '# Tools of the MCP server',
    'What software agents get of Railyard, by `POST /mcp` or `railyard mcp`. [Give agents tools](../guides/mcp.md) connects a client. Amounts are in the smallest unit of the currency.',
    table(
      ['tool', 'what it does', ''],
      tools.map((tool) => [`[${code(tool.name)}](#${tool.name})`, tool.title, kindOf(tool)]),
    ),
    ...tools.map(section),
  )
