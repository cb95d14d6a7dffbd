import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { readSigner, type Signer, signToken } from '../accounts/api-keys/private-key.ts'
import { type ApiAnswer, type CallApi, headersOf, urlOf } from '../mcp/call-api.ts'
import { dryRunStarter } from '../mcp/dry-run/start-dry-run.ts'
import { createServer } from '../mcp/server.ts'
import { readTools, toolScopes, tools } from '../mcp/tools/tools.ts'
import type { Settings } from '../settings.ts'
import { UserError } from './support/user-error.ts'
import { readTokenSigner } from './token-signer.ts'

export interface McpOptions {
  /** URL of the API; default: that of the settings. */
  url?: string
  merchantAccount?: string
  /** PEM file; default: the instance's first key. */
  key?: string
  /** Of an RSA key, which fits two algorithms. */
  algorithm?: string
  readOnly?: boolean
}

/** Holds a private key in PEM. A key on the command line could be read by every user of the machine. */
const KEY_VARIABLE = 'RAILYARD_MCP_KEY'

/**
 * `railyard mcp`: serves the tools over stdin and stdout until the client closes them. The tokens have the
 * scopes that the tools need, and no others.
 */
export async function mcp(
  settings: Settings,
  { url: asked, merchantAccount, key, algorithm, readOnly = false }: McpOptions,
): Promise<void> {
  const url = (asked ?? settings.publicUrl ?? `http://${settings.host}:${settings.port}`).replace(/\/+$/, '')
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UserError('--url takes a URL: http://127.0.0.1:8080')
  const chosen = readOnly ? readTools : tools
  const signer = await signerOf(settings, key, algorithm)
  const call = callOverHttp(url, { signer, scopes: toolScopes(chosen), merchantAccount })
  const context = {
    call,
    dryRun: dryRunStarter(),
    reportFailure: (error: unknown) => console.error('railyard mcp: a tool has failed:', error),
  }
  serveStdio(() => createServer(chosen, context), {
    // stdout is the client's
    onerror: (error) => console.error(`railyard mcp: ${error.message}`),
  })
}

async function signerOf(
  settings: Settings,
  key: string | undefined,
  algorithm: string | undefined,
): Promise<Signer> {
  const pem = process.env[KEY_VARIABLE]
  if (key !== undefined || !pem) return readTokenSigner(settings, key, algorithm)
  return readSigner(pem, algorithm === 'RS256' ? 'RS256' : 'RS512').catch(() => {
    throw new UserError(`${KEY_VARIABLE} does not hold a private key (PKCS #8 PEM)`)
  })
}

interface Credentials {
  signer: Signer
  scopes: string[]
  merchantAccount: string | undefined
}

const LIFETIME_SECONDS = 60
/** Longer than a payment service is given to answer. */
const TIMEOUT_MS = 60_000

/** Calls the API over HTTP, each time with a token of its own. */
function callOverHttp(url: string, { signer, scopes, merchantAccount }: Credentials): CallApi {
  return async (request) => {
    const token = await signToken(signer, { scopes, expiresIn: LIFETIME_SECONDS }, Date.now())
    try {
      const answer = await fetch(`${url}${urlOf(request)}`, {
        method: request.method,
        headers: {
          authorization: `Bearer ${token}`,
          ...headersOf(request),
          ...(merchantAccount !== undefined && { 'x-svc-merchant-account-id': merchantAccount }),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
    } catch (error) {
      return noAnswer(url, error)
    }
  }
}

/** The model is told that it may send the call again: its `request_id` keeps it from being done twice. */
function noAnswer(url: string, error: unknown): ApiAnswer {
  const cause = error instanceof Error ? error.cause : undefined
  const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer that can be read'
  return {
    status: 504,
    body: { code: 'gateway_timeout', message: `${url} does not answer (${reason})` },
  }
}
