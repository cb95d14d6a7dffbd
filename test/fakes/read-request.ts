import type { IncomingMessage } from 'node:http'
import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'
import { textIn } from './hosted-fake.ts'

const MAX_BODY = 1024 * 1024

/** What the server answers in place of the fake. */
export class Answered extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

/** Where a request sends the buyer after the provider's page. */
export function returnUrlsIn({
  body,
  form,
}: HttpRequest): { approved: string; declined: string } | undefined {
  const sent = form ?? body
  const approved = ['return_url', 'returnUrl', 'success_url', 'redirectUrl']
    .map((member) => textIn(sent, member))
    .find((value) => value !== undefined && URL.canParse(value))
  return approved === undefined ? undefined : { approved, declined: textIn(sent, 'failure_url') ?? approved }
}

/** The text of a body. Throws `Answered` when it is too large. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY) throw new Answered(413, 'the body is too large')
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks).toString()
}

const methods: readonly HttpRequest['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A request as the fake takes it: the headers that say what the body is, and who asks, in lower case. */
export function readRequest(
  { method: given, url = '/', headers }: IncomingMessage,
  text: string,
): HttpRequest {
  const method = methods.find((each) => each === given)
  if (!method) throw new Answered(405, 'there is no such method')
  const type = headers['content-type'] ?? ''
  if (type.startsWith('multipart/')) throw new Answered(415, 'the fake takes no files')
  const passed = ['authorization', 'x-api-key', 'idempotency-key', 'cko-idempotency-key'].flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, asBearer(name, value)] as const] : []
  })
  return {
    method,
    url: `http://127.0.0.1${url}`,
    headers: Object.fromEntries(passed),
    ...(text !== '' &&
      (type.startsWith('application/x-www-form-urlencoded')
        ? { form: formOf(text) }
        : { body: parsed(text) })),
  }
}

/** The members of a form; of a list, as `events[]`, each under its number. */
function formOf(text: string): Record<string, string> {
  const counts = new Map<string, number>()
  const members = [...new URLSearchParams(text)].map(([name, value]) => {
    if (!name.endsWith('[]')) return [name, value]
    const count = counts.get(name) ?? 0
    counts.set(name, count + 1)
    return [name.replace('[]', `[${count}]`), value]
  })
  return Object.fromEntries(members)
}

/** `curl -u key:` and a key without its scheme are as good as a bearer token. */
function asBearer(name: string, value: string): string {
  if (name !== 'authorization' || value.startsWith('Bearer ')) return value
  const [, basic] = /^Basic (\S+)$/.exec(value) ?? []
  const key = basic === undefined ? value : Buffer.from(basic, 'base64').toString().replace(/:.*$/, '')
  return `Bearer ${key}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Answered(400, 'the body is not JSON')
  }
}
