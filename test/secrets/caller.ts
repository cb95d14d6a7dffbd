import type { Signer } from '../../src/accounts/api-keys/private-key.ts'
import { signToken } from '../../src/accounts/api-keys/private-key.ts'
import type { Canaries } from './canaries.ts'

/** What the API answered. */
export interface RecordedAnswer {
  request: string
  status: number
  text: string
  headers: string
}

// biome-ignore lint/suspicious/noExplicitAny: each request's sender reads the members it needs
export type Body = any

/** Sends requests as a merchant does, with a fresh token each time, and remembers all answers. */
export interface Caller {
  url: string
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Body; headers: Headers }>
  recorded: readonly RecordedAnswer[]
}

export function caller(url: string, signer: Signer, kept: Canaries): Caller {
  const recorded: RecordedAnswer[] = []
  return {
    url,
    recorded,
    async send(method, path, body, headers = {}) {
      const token = await signToken(signer, { scopes: ['*.read', '*.write'], expiresIn: 3_600 }, Date.now())
      kept.keep('bearer token', token.slice(token.lastIndexOf('.') + 1))
      const answer = await fetch(path.startsWith('http') ? path : `${url}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      recorded.push({
        request: `${method} ${path}`,
        status: answer.status,
        text,
        headers: JSON.stringify([...answer.headers]),
      })
      return { status: answer.status, body: parsed(text), headers: answer.headers }
    },
  }
}

const parsed = (text: string): Body => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
