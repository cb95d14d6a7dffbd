import { operations } from './generated/operations.ts'
import type { Resources } from './generated/resources.ts'
import { listOf } from './list.ts'
import type { RailyardOptions } from './options.ts'
import { type EmbedConstraints, type EmbedTokenOptions, embedToken } from './token/embed-token.ts'
import { tokenSource } from './token/token-source.ts'
import { type OperationCall, readArguments, readOperation } from './transport/operation-call.ts'
import { send } from './transport/send.ts'

/** A client of one Railyard. */
export interface Railyard extends Resources {
  /**
   * Signs a token that a buyer's browser may have: it fixes what is paid and by which buyer. Needs the private
   * key.
   */
  embedToken(constraints?: EmbedConstraints, options?: EmbedTokenOptions): Promise<string>
}

/** A resource below another one, or a method. */
interface Table {
  readonly [name: string]: string | Table
}

/** Makes a client. It sends nothing before a method is called. */
export function createRailyard(options: RailyardOptions): Railyard {
  const { protocol } = new URL(options.baseUrl)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('railyard: baseUrl begins with https:// or http://')
  const known = { ...options, baseUrl: options.baseUrl.replace(/\/+$/, '') }
  const tokens = tokenSource(known)
  const call = (request: OperationCall) => send(known, tokens, request)
  const own: Pick<Railyard, 'embedToken'> = {
    embedToken: (constraints, more) => embedToken(tokens, constraints, more),
  }
  // the table and the interfaces are written from the same document
  return Object.assign(resourcesOf(operations, '', call) as unknown as Resources, own)
}

type Call = (request: OperationCall) => Promise<unknown>

const resourcesOf = (table: Table, path: string, call: Call): object =>
  Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      typeof entry === 'string'
        ? methodOf(`${path}${name}`, entry, call)
        : resourcesOf(entry, `${path}${name}.`, call),
    ]),
  )

function methodOf(name: string, text: string, call: Call): (...given: readonly unknown[]) => unknown {
  const operation = readOperation(name, text)
  if (!operation.isList) return async (...given) => call(readArguments(operation, given))
  return (...given) => {
    const request = readArguments(operation, given)
    const position = operation.isFeed ? 'after' : 'cursor'
    const load = (cursor?: string) =>
      call(cursor === undefined ? request : { ...request, query: { ...request.query, [position]: cursor } })
    return listOf(load, operation.isFeed)
  }
}
