import { type Caller, isEmbedded } from './caller.ts'
import { badRequest, type Detail } from './errors.ts'

/** 400 where a request names an amount or currency other than its browser's token pins (SEMANTICS §1.4, 1). What is absent is not held against it. */
export function holdToPinned(caller: Caller, given: { amount?: unknown; currency?: unknown }, location: Detail['location']): void {
  const { embed } = caller.token
  if (!embed || !isEmbedded(caller)) return
  const details = (['amount', 'currency'] as const)
    .filter((field) => given[field] !== undefined && given[field] !== null && given[field] !== embed[field])
    .map((field): Detail => {
      const pointer = location === 'body' ? `/${field}` : field
      return { location, pointer, message: 'differs from the value that the token pins', type: 'value_error' }
    })
  if (details.length > 0) throw badRequest('Request failed validation', details)
}
