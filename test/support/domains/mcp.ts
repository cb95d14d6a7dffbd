import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Client as ApiClient, TestRailyard } from '../railyard.ts'

/** What a tool has answered. */
export interface ToolAnswer {
  isError: boolean
  // a test may read any member of an answer
  // biome-ignore lint/suspicious/noExplicitAny: asserted by the test that reads it
  body: any
}

export type CallTool = (name: string, values?: Record<string, unknown>) => Promise<ToolAnswer>

export const callerOf =
  (client: Client): CallTool =>
  async (name, values = {}) => {
    const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: values })
    const [first] = Array.isArray(content) ? content : []
    const text = first?.type === 'text' ? first.text : '{}'
    return { isError, body: structuredContent ?? parse(text) }
  }

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type Era = 'legacy' | 'auto'

/** An official MCP client that is connected to `/mcp` as this client of the API. */
export async function connect(
  railyard: Pick<TestRailyard, 'url'>,
  { token, account }: Pick<ApiClient, 'account' | 'token'>,
  mode: Era = 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  const headers = { authorization: `Bearer ${token}`, 'x-svc-merchant-account-id': account }
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', railyard.url), { requestInit: { headers } }),
  )
  return client
}
