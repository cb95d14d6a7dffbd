import type { ServiceCall } from '../contract/call.ts'
import {
  type Movement,
  operationOf,
  type Page,
  type Payment,
  readPayment,
  readPayments,
} from './answer.schema.ts'
import type { MollieOptions } from './environment.ts'
import { type MollieRequest, paymentPath, send } from './wire.ts'

/** A page of payments stays below the largest answer that Railyard reads, 1 MiB. */
const PAGE_SIZE = 100
/** The most pages that are read to find one object. */
const MAX_PAGES = 100
/** How far the provider's clock may be behind ours. */
const CLOCK_MARGIN_MS = 5 * 60_000

/** Undefined: the books cannot be read. */
export async function fetchPayment(
  options: MollieOptions,
  call: ServiceCall,
  id: string,
  embed?: 'captures,chargebacks,refunds',
): Promise<Payment | undefined> {
  const query = embed === undefined ? '' : `?embed=${embed}`
  const answer = await send(options, call, { method: 'GET', path: `${paymentPath(id)}${query}` })
  if (answer === null || answer.lost || answer.status !== 200) return undefined
  return readPayment(answer.body, id)
}

/** What a search of a list brings: an item, or null: no item fits. Undefined: the list cannot be read. */
export type Found<Item> = Item | null | undefined

/** Reads a list, newest first, until an item fits or `isBefore` says that the rest is too old. */
export async function searchList<Item>(
  options: MollieOptions,
  call: ServiceCall,
  {
    path,
    query = { sort: 'desc' },
    token,
    record,
    read,
    fits,
    isBefore = () => false,
  }: {
    path: string
    query?: Record<string, string>
    token?: string
    record?: MollieRequest['record']
    read: (body: unknown) => Page<Item> | undefined
    fits: (item: Item) => boolean
    isBefore?: (item: Item) => boolean
  },
): Promise<Found<Item>> {
  let from: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const search = new URLSearchParams({
      limit: `${PAGE_SIZE}`,
      ...query,
      ...(from !== undefined && { from }),
    })
    const answer = await send(options, call, {
      method: 'GET',
      path: `${path}?${search}`,
      ...(token !== undefined && { token }),
      ...(record && { record }),
    })
    const list = answer === null || answer.lost || answer.status !== 200 ? undefined : read(answer.body)
    if (!list) return undefined
    const item = list.items.find(fits)
    if (item) return item
    if (list.next === undefined || list.items.some(isBefore)) return null
    from = list.next
  }
  return undefined
}

/** The payment that an operation made, among those since `since` (milliseconds). */
export const searchPayment = (
  options: MollieOptions,
  call: ServiceCall,
  operation: string,
  since: number,
): Promise<Found<Payment>> =>
  searchList(options, call, {
    path: '/payments',
    // other payments name their buyers
    record: 'metadata only',
    read: readPayments,
    fits: (payment) => operationOf(payment) === operation,
    isBefore: ({ createdAt }) => Date.parse(createdAt) < since - CLOCK_MARGIN_MS,
  })

/** The capture or refund that an operation made. */
export const searchMovement = (
  options: MollieOptions,
  call: ServiceCall,
  path: string,
  read: (body: unknown) => Page<Movement> | undefined,
  operation: string,
): Promise<Found<Movement>> =>
  searchList(options, call, {
    path,
    // without an order of its own, such a list is complete only if all of it is read
    query: {},
    read,
    fits: (movement) => operationOf(movement) === operation,
  })
