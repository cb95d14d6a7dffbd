import type { CallToolResult, JsonSchemaType, StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import type { TSchema } from 'typebox'
import { version } from '../api/openapi/openapi.ts'
import { ApiRefusal } from './call-api.ts'
import { documents } from './documents/documents.ts'
import { instructions } from './instructions.ts'
import type { Tool, ToolContext } from './tool.ts'

/** More than any tool takes: rules of 100 conditions have most. */
const MAX_INPUT_ELEMENTS = 20_000

/** Compiled once; a server is made for each request. */
const compiled = new WeakMap<TSchema, StandardSchemaWithJSON<Record<string, unknown>>>()

function schemaOf(schema: TSchema): StandardSchemaWithJSON<Record<string, unknown>> {
  const known = compiled.get(schema)
  if (known) return known
  const plain: JsonSchemaType = JSON.parse(JSON.stringify(schema))
  const made = fromJsonSchema<Record<string, unknown>>(plain)
  compiled.set(schema, made)
  return made
}

/** The MCP server of one caller. It keeps nothing between requests. */
export function createServer(tools: readonly Tool[], context: ToolContext): McpServer {
  const server = new McpServer(
    { name: 'railyard', title: 'Railyard', version },
    { instructions, maxToolInputElements: MAX_INPUT_ELEMENTS },
  )
  for (const { name, title, description, input, output, annotations, run } of tools)
    server.registerTool(
      name,
      { title, description, inputSchema: schemaOf(input), outputSchema: schemaOf(output), annotations },
      (values) => answerOf(context, () => run(values, context)),
    )
  server.registerResource(
    'documentation',
    new ResourceTemplate('railyard://docs/{+path}', { list: () => ({ resources: documentResources() }) }),
    {
      title: 'Documentation',
      description: 'The pages of Railyard’s documentation',
      mimeType: 'text/markdown',
    },
    (uri) => {
      const text = documents().get(uri.href.slice(SCHEME.length))?.text
      if (text === undefined) throw new Error('There is no such page')
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] }
    },
  )
  return server
}

const SCHEME = 'railyard://docs/'

const documentResources = () =>
  [...documents().values()].map(({ path, title }) => ({
    uri: `${SCHEME}${path}`,
    name: path,
    title,
    mimeType: 'text/markdown',
  }))

/** Answers what the tool answers. An error is a result for the model, which can correct its call. */
async function answerOf(
  { reportFailure }: ToolContext,
  run: () => Promise<Record<string, unknown>>,
): Promise<CallToolResult> {
  try {
    const structuredContent = await run()
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  } catch (error) {
    if (!(error instanceof ApiRefusal)) reportFailure(error)
    return { content: [{ type: 'text', text: JSON.stringify(refusalOf(error)) }], isError: true }
  }
}

const ASK_AGAIN =
  'Not known. If the tool moves money, send the same call again with the same request_id: it is done once'

/** What the model gets of an error. */
function refusalOf(error: unknown) {
  if (!(error instanceof ApiRefusal))
    return { error: { code: 'server_error', message: 'The tool has failed' }, done: ASK_AGAIN }
  const { status, code, message, advice, problems, resourceId: resource_id } = error
  return {
    error: { status, code, message, advice, problems, resource_id },
    done: error.isWithoutEffect ? 'nothing' : ASK_AGAIN,
  }
}
