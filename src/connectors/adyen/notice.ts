import { type Static, Type } from 'typebox'
import type { StoredNotice } from '../contract/call.ts'
import { Compile } from '../wire/compile.ts'
import { type AdditionalData, factsOf, storedTokenOf } from './facts.ts'

// The parts of a webhook that Railyard reads; it ignores other members. test/contracts has the whole contract.

const text = Type.Optional(Type.String())

const Item = Type.Object({
  eventCode: Type.String(),
  success: Type.String(),
  pspReference: Type.String(),
  originalReference: text,
  merchantReference: text,
  merchantAccountCode: Type.String(),
  amount: Type.Optional(Type.Object({ value: Type.Integer(), currency: Type.String() })),
  eventDate: text,
  reason: text,
  additionalData: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})
/** One event of a webhook (`NotificationRequestItem`). */
export type Item = Static<typeof Item>

const webhook = Compile(
  Type.Object({ notificationItems: Type.Array(Type.Object({ NotificationRequestItem: Item })) }),
)

/** The events of a webhook; undefined: it is none. */
export const itemsIn = (body: unknown): Item[] | undefined =>
  webhook.Check(body) ? body.notificationItems.map((each) => each.NotificationRequestItem) : undefined

const ResponseDetails = Type.Record(Type.String(), Type.String())

/** What Railyard keeps of an event: no personal data. */
const NoticeBody = Type.Object({
  event: Type.String(),
  success: Type.Boolean(),
  psp: Type.String(),
  /** Ours: the operation that the event is the result of. */
  reference: Type.String(),
  original: Type.Union([Type.String(), Type.Null()]),
  value: Type.Union([Type.Integer(), Type.Null()]),
  currency: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Union([Type.String(), Type.Null()]),
  facts: ResponseDetails,
  token: Type.Union([Type.String(), Type.Null()]),
})
type NoticeBody = Static<typeof NoticeBody>
const noticeBody = Compile(NoticeBody)

/** A kept event with the time of its arrival, in milliseconds since 1970. */
export type KeptNotice = NoticeBody & { receivedAt: number }

const MAX_REASON = 200

/**
 * Why the provider refused; the reason of an approved authorization is the end of the card's number. The
 * provider writes `null` as a text in some events.
 */
const reasonOf = ({ eventCode, success, reason }: Item): string | null =>
  reason && reason !== 'null' && !(eventCode === 'AUTHORISATION' && success === 'true')
    ? reason.slice(0, MAX_REASON)
    : null

export function toNoticeBody(item: Item): NoticeBody {
  const data: AdditionalData = item.additionalData ?? {}
  return {
    event: item.eventCode,
    success: item.success === 'true',
    psp: item.pspReference,
    reference: item.merchantReference ?? '',
    original: item.originalReference || null,
    value: item.amount?.value ?? null,
    currency: item.amount?.currency ?? null,
    reason: reasonOf(item),
    facts: Object.fromEntries(
      Object.entries(factsOf(data)).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      ),
    ),
    token: storedTokenOf(data) ?? null,
  }
}

/** The notices that can be read, each event once, in the order in which they arrived. */
export function readNotices(notices: readonly StoredNotice[]): KeptNotice[] {
  const seen = new Set<string>()
  return notices.flatMap(({ body, received_at }) => {
    if (!noticeBody.Check(body)) return []
    const key = `${body.event} ${body.psp} ${body.success}`
    if (seen.has(key)) return []
    seen.add(key)
    return [{ ...body, receivedAt: Date.parse(received_at) }]
  })
}

export const moneyOf = ({ value, currency }: KeptNotice) =>
  value === null || currency === null ? undefined : { value, currency }
