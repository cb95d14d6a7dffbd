import { randomUUID } from 'node:crypto'

/** Headers without which an operation of the Agentic Commerce Protocol is a 400; other operations need none. */
export const requiredHeaders = (path: string): Record<string, string> =>
  path.startsWith('/agentic_commerce/')
    ? { 'api-version': '2026-04-17', 'idempotency-key': randomUUID() }
    : {}
