import type { TestRailyard } from '../support/railyard.ts'
import { type Document, operationsOf, readAnswer } from './document.ts'

/** A resource that an answer showed, and how to ask for it again. */
export interface Shown {
  value: Record<string, unknown>
  headers: Record<string, string>
}

/** Watches every answer of the API, and keeps what was reached first by which script. */
export interface Observer {
  document: Document
  /** What was reached (`transaction capture_pending`, `get_buyer`, `buyer.created`) → the script. */
  reached: Map<string, string>
  /** By type, the newest last. */
  shown: Map<string, Shown[]>
  /** What is reached from now on is this script's. */
  begin(script: string): void
  note(what: string): void
  stop(): void
}

export async function observe(railyard: TestRailyard): Promise<Observer> {
  const document: Document = (await railyard.send('GET', '/openapi.json')).body
  // a path without parameters comes before one that it would fit
  const operations = operationsOf(document)
    .map((operation) => ({
      ...operation,
      pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    }))
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  const [reached, shown] = [new Map<string, string>(), new Map<string, Shown[]>()]
  let script = ''
  const note = (what: string) => void (reached.has(what) || reached.set(what, script))
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init)
    const { pathname, origin } = new URL(input instanceof Request ? input.url : input)
    const operation = operations.find(
      ({ method, pattern }) => method === (init?.method ?? 'GET') && pattern.test(pathname),
    )
    if (origin !== railyard.url || !operation || !answer.ok) return answer
    note(operation.operationId)
    const body: unknown = await answer
      .clone()
      .json()
      .catch(() => undefined)
    const { states, resources } = readAnswer(document, operation, answer.status, body)
    for (const state of states) note(state)
    const headers = Object.fromEntries(new Headers(init?.headers))
    for (const { type, value } of resources) shown.set(type, [...(shown.get(type) ?? []), { value, headers }])
    return answer
  }
  return {
    document,
    reached,
    shown,
    note,
    begin: (name) => {
      script = name
    },
    stop: () => {
      globalThis.fetch = fetch
    },
  }
}
