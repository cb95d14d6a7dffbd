import { Type } from 'typebox'
import type { ServiceCall } from '../contract/call.ts'
import { Compile } from '../wire/compile.ts'
import { isLiveKey, type MollieOptions } from './environment.ts'
import { send } from './wire.ts'

const page = Compile(
  Type.Object({
    _embedded: Type.Record(Type.String(), Type.Array(Type.Unknown())),
    _links: Type.Optional(
      Type.Object({
        next: Type.Optional(Type.Union([Type.Object({ href: Type.String() }), Type.Null()])),
      }),
    ),
  }),
)

/** More pages than this come from a provider that repeats itself. */
const MAX_PAGES = 4_000

/** The path with the organization's token, which has no environment of its own. */
export function access({ service: { fields } }: ServiceCall, path: string, query: Record<string, string>) {
  const token = fields['organization_token']
  const isTest = token !== undefined && !isLiveKey(fields['api_key'])
  const asked = new URLSearchParams({ ...query, ...(isTest && { testmode: 'true' }) })
  return { method: 'GET', path: `${path}?${asked}`, ...(token !== undefined && { token }) } as const
}

/** Each page of a list; undefined: it could not be read. */
export async function* pages(
  options: MollieOptions,
  call: ServiceCall,
  path: string,
): AsyncGenerator<readonly unknown[] | undefined> {
  let from: string | null = null
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const query = { limit: '250', ...(from !== null && { from }) }
    const answer = await send(options, call, access(call, path, query))
    if (answer === null || answer.lost || answer.status !== 200 || !page.Check(answer.body))
      return yield undefined
    yield Object.values(answer.body._embedded).flat()
    const next = answer.body._links?.next?.href
    from = next ? new URL(next, 'https://api.mollie.com').searchParams.get('from') : null
    if (from === null) return
  }
  yield undefined
}
