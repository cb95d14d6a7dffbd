import type { RequestOptions } from '../options.ts'

/** An operation of the API, as `operations` describes it. */
export interface Operation {
  /** Such as `transactions.create`. */
  name: string
  verb: string
  path: string
  hasBody: boolean
  hasQuery: boolean
  /** Railyard keeps its idempotency keys: sent again under one, it is carried out once. */
  keepsKeys: boolean
  isList: boolean
  isFeed: boolean
}

/** An operation with the values of one request. */
export interface OperationCall extends Operation {
  ids: readonly string[]
  body: unknown
  query: Readonly<Record<string, unknown>>
  options: RequestOptions
}

/** Reads `POST bk /transactions/{}/capture`. */
export function readOperation(name: string, text: string): Operation {
  const [verb = '', marks = '', path = ''] = text.split(' ')
  return {
    name,
    verb,
    path,
    hasBody: marks.includes('b'),
    hasQuery: marks.includes('q'),
    keepsKeys: marks.includes('k'),
    isList: marks.includes('l'),
    isFeed: marks.includes('f'),
  }
}

/** The arguments of a method, in their order: the ids of the path, the body, the query, the options. */
export function readArguments(operation: Operation, given: readonly unknown[]): OperationCall {
  const rest = [...given]
  const ids = (operation.path.match(/\{\}/g) ?? []).map(() => {
    const id = rest.shift()
    // an empty id would make the path of another operation
    if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
      throw new TypeError(`railyard: ${operation.name} needs an id, not ${JSON.stringify(id)}`)
    return id
  })
  return {
    ...operation,
    ids,
    // every member of a body that may be left out is optional
    body: operation.hasBody ? (rest.shift() ?? {}) : undefined,
    query: operation.hasQuery ? members(rest.shift()) : {},
    options: members(rest.shift()),
  }
}

const members = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/** The address of a call. Members of the query that are absent or null are left out; lists are repeated. */
export function urlOf(baseUrl: string, { path, ids, query }: OperationCall): string {
  const left = [...ids]
  const filled = path.replaceAll('{}', () => encodeURIComponent(left.shift() ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) {
      if (each === undefined || each === null) continue
      search.append(name, each instanceof Date ? each.toISOString() : String(each))
    }
  }
  const text = search.toString()
  return `${baseUrl}${filled}${text && `?${text}`}`
}
