import { describe, expect, test } from 'vitest'
import type { FaultItem, FaultKind } from '../../../src/sandbox/faults/fault.schema.ts'
import { booksOf, expectBooksMatch, injectFaults, recoverFully } from '../provider.ts'
import type { TestRailyard } from '../railyard.ts'
import type { Payment, Shop } from '../shop.ts'

const faults: { name: string; fault: Pick<FaultItem, 'kind' | 'delay_ms'> }[] = [
  { name: 'a short delay', fault: { kind: 'delay', delay_ms: 20 } },
  { name: 'a delay beyond our patience', fault: { kind: 'delay', delay_ms: 800 } },
  ...(['error', 'lost', 'reset', 'malformed', 'empty', 'duplicate', 'outage'] satisfies FaultKind[]).map(
    (kind) => ({ name: kind, fault: { kind } }),
  ),
]

/** What is done at a payment service whose buyers approve, while a fault strikes it. */
export interface Deed<P extends { id: string }> {
  operation: FaultItem['operation']
  prepare: () => Promise<P | undefined>
  /** Answers the id of the payment. */
  act: (payment: P | undefined) => Promise<string>
  /** How it ends when the fault is over. */
  ends: Record<string, unknown>
}

/** What a test needs was prepared. */
const known = <P>(payment: P | undefined): P => {
  if (payment === undefined) throw new Error('there is no payment')
  return payment
}

export const onPayment =
  <P extends { id: string }>(does: (payment: P) => Promise<unknown>) =>
  async (payment: P | undefined): Promise<string> => {
    await does(known(payment))
    return known(payment).id
  }

/**
 * Nothing that has failed at us may be approved in the books: asked at once, while the fault still lasts.
 * What was canceled has been released.
 */
export async function neverFailedWhileApproved(railyard: TestRailyard): Promise<void> {
  const approved = (await booksOf(railyard)).operations
    .filter(({ status }) => status === 'approved')
    .map(({ key }) => key)
  const ours = await railyard.world.run<{ id: string; kind: string; status: string }>(
    `select id, kind, status from operations where id = any($1) and status in ('failed', 'declined') and error_code <> 'canceled'`,
    [approved],
  )
  expect(ours).toEqual([])
}

/** Operations that are preceded by a look whether the buyer approved. */
const asksFirst: FaultItem['operation'][] = ['authorize', 'sale']

/** How often answers were lost, or the books could not be read. */
async function countInjected(railyard: TestRailyard): Promise<number> {
  const { items } = (await railyard.admin.get('/sandbox/faults')).body
  return items
    .filter(({ kind }: FaultItem) => kind !== 'delay')
    .reduce((sum: number, item: { struck: number }) => sum + item.struck, 0)
}

/**
 * The tests that each payment service whose buyers approve has to stand: each deed under each fault is done
 * once or not at all, and Railyard knows which.
 */
export function describeFaults<P extends { id: string }>(
  on: () => {
    railyard: TestRailyard
    shop: Pick<Shop, 'account'> & { payment(id: string): Pick<Payment, 'read'> }
  },
  deeds: readonly Deed<P>[],
): void {
  describe.each(deeds)('$operation', ({ operation, prepare, act, ends }) => {
    test.each(faults)('is done once or not at all after $name, and we know which', async ({ fault }) => {
      const { railyard, shop } = on()
      const payment = await prepare()
      await injectFaults(railyard, { operation, ...fault, times: 1 })
      const id = await act(payment)
      await neverFailedWhileApproved(railyard)
      await recoverFully(railyard)
      await neverFailedWhileApproved(railyard)
      await expectBooksMatch(railyard, shop.account)
      expect(await shop.payment(id).read()).toMatchObject(ends)
    })

    test('with every answer lost and no look into the books, nothing is decided; then the truth', async () => {
      const { railyard, shop } = on()
      const payment = await prepare()
      // that the buyer approved is still found: it is the first look
      const looksOnce = { operation: 'find', kind: 'delay', delay_ms: 0, times: 1 } as const
      const lost = operation === 'find' ? [] : [{ operation, kind: 'lost' as const }]
      await injectFaults(railyard, ...(asksFirst.includes(operation) ? [looksOnce] : []), ...lost, {
        operation: 'find',
        kind: 'error',
      })
      const acting = act(payment)
      await expect.poll(() => countInjected(railyard)).toBeGreaterThan(0)
      for (let pass = 0; pass < 3; pass++) {
        railyard.clock.advance(40_000)
        await railyard.recovery.runOnce()
        await neverFailedWhileApproved(railyard)
      }
      await recoverFully(railyard)
      const id = await acting
      await expectBooksMatch(railyard, shop.account)
      expect(await shop.payment(id).read()).toMatchObject(ends)
    })
  })
}
