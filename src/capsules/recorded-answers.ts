import type { ProviderHttp } from '../connectors/wire/http.ts'
import type { HttpAnswer, HttpRequest } from '../connectors/wire/http-message.ts'
import type { CapsuleExchange, CapsuleOperation } from './capsule.schema.ts'

/** An exchange of the capsule with the place of its operation in the journal. */
export interface RecordedExchange extends CapsuleExchange {
  operation: number
}

/** The reasons for which `lostAnswer` says that nothing was sent. */
const unsentReasons = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Where providers give access tokens (RFC 6749). */
const accessToken = /\/oauth2?\/token$/
const accessTokenAnswer = { access_token: 'capsule', token_type: 'Bearer', expires_in: 3_600 }

/** Plays the answers of a capsule's payment services, in their order. It has no network. */
export interface RecordedAnswers extends ProviderHttp {
  /** The next answer to play; undefined: all were played. */
  next(): RecordedExchange | undefined
  /** How many were played. */
  played(): number
  /** The first request that the capsule does not have at its place, in words. */
  difference(): string | undefined
}

export interface Playback {
  /** Moves the clock to this time, unless it is there already. */
  moveTo(time: number): void
  /** The ids of the replayed operations, in the order in which they were intended. */
  operationIds(): Promise<readonly string[]>
}

export function recordedAnswers(
  operations: readonly CapsuleOperation[],
  { moveTo, operationIds }: Playback,
): RecordedAnswers {
  const exchanges: RecordedExchange[] = operations
    .flatMap(({ exchanges: each }, operation) => each.map((exchange) => ({ ...exchange, operation })))
    .filter(({ path }) => !accessToken.test(path))
    .toSorted((a, b) => Date.parse(a.started_at) - Date.parse(b.started_at))
  let position = 0
  let difference: string | undefined

  async function request({ method, url }: HttpRequest): Promise<HttpAnswer> {
    const { pathname } = new URL(url)
    // whether one is at hand depends on the payments before
    if (accessToken.test(pathname)) return { lost: false, status: 200, headers: {}, body: accessTokenAnswer }
    const recorded = exchanges[position]
    const sent = `${method} ${pathname}`
    if (!recorded || shapeOf(sent) !== shapeOf(`${recorded.method} ${recorded.path}`)) {
      difference ??= `request ${position + 1} to a payment service: recorded ${recorded ? JSON.stringify(`${recorded.method} ${recorded.path}`) : 'none'}, now ${JSON.stringify(sent)}`
      return { lost: true, sent: true, reason: 'the capsule has no such request' }
    }
    position += 1
    moveTo(Date.parse(recorded.started_at))
    const ids = await operationIds()
    moveTo(Date.parse(recorded.ended_at))
    return answerOf(recorded, (text) => renameIds(text, operations, ids))
  }

  return {
    request,
    download: async () => 'a capsule has no files',
    close: async () => undefined,
    next: () => exchanges[position],
    played: () => position,
    difference: () => difference,
  }
}

/** The form of a request, in which ids of Railyard differ from one run to the other. */
const shapeOf = (request: string): string =>
  request.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '*')

/** Operations of the capsule are those of the replay. */
const renameIds = (text: string, operations: readonly CapsuleOperation[], ids: readonly string[]): string =>
  operations.reduce((renamed, { id }, index) => renamed.replaceAll(id, ids[index] ?? id), text)

function answerOf({ status, response }: RecordedExchange, rename: (text: string) => string): HttpAnswer {
  const body: unknown = JSON.parse(rename(JSON.stringify(response ?? null)))
  const members = typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {}
  if (status !== null) return { lost: false, status, headers: {}, body: members }
  const reason = 'lost' in members && typeof members.lost === 'string' ? members.lost : 'no answer'
  return { lost: true, sent: !unsentReasons.has(reason), reason }
}
