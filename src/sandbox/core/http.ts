import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer, Incoming } from './provider-messages.ts'

const maxBody = 256 * 1024

/**
 * Reads the whole request and calls `done`. A caller that disconnects before the end of the body has sent no
 * request.
 */
export function readRequest(
  request: IncomingMessage,
  done: (incoming: Incoming) => void,
  refused: (status: number, message: string) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBody) chunks.push(chunk)
  })
  request.on('error', () => undefined)
  request.on('end', () => {
    if (size > maxBody) return refused(413, 'the body is too large')
    const body = parse(chunks, request.headers['content-type'])
    // the parser's own message quotes the body, which may have a card number
    if (body === undefined) return refused(400, 'the body cannot be read')
    const url = request.url ?? '/'
    const query = url.indexOf('?')
    const path = (query < 0 ? url : url.slice(0, query)).split('/').slice(1)
    const search = new URLSearchParams(query < 0 ? '' : url.slice(query + 1))
    done({ method: request.method ?? 'GET', path, query: search, headers: request.headers, body })
  })
}

function parse(chunks: Buffer[], type = ''): unknown {
  if (chunks.length === 0) return {}
  if (type.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
  if (type.startsWith('multipart/form-data')) return { multipart: Buffer.concat(chunks).toString('latin1') }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}

/** Sends the response; false if the caller has disconnected. */
export function send(
  response: ServerResponse,
  { status, body, headers }: Pick<Answer, 'status' | 'body' | 'headers'>,
): boolean {
  if (response.destroyed || response.socket?.destroyed !== false) return false
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(body)
  return true
}
