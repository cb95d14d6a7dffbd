import type { Caller } from './caller.ts'
import type { Canaries } from './canaries.ts'
import { configuration } from './configure.ts'
import { payments } from './pay.ts'
import { reading } from './read.ts'

const AT_ONCE = 4

/** Where a merchant receives events, and how often each part is done. */
export interface Market {
  receiver: string
  payments: number
}

/** Everything in which a secret takes part: done, refused, done under faults, and done in the wrong shape. */
export async function doBusiness(
  api: Caller,
  secrets: Canaries,
  { receiver, payments: count }: Market,
): Promise<void> {
  const { services, webhooks, keyPairs, people, keepSecret } = configuration(api, secrets, receiver)
  const takes = payments(api, secrets)
  const { refusals, reports, readEverything } = reading(api, secrets)
  await services()
  const subscription = await webhooks()
  await keyPairs()
  await people()
  await several(count, takes.payment)
  await takes.setFaults()
  await several(count / 8, takes.payout)
  await several(count / 8, takes.storedCard)
  await several(count / 8, takes.checkoutSession)
  await several(count / 16, takes.paymentLink)
  await several(count / 8, takes.giftCard)
  await several(1, takes.authentication)
  await takes.approvals()
  await refusals()
  await reports()
  await readEverything()
  await api
    .send('POST', `/webhook-subscriptions/${subscription}/rotate-secret`, { delta: 60 })
    .then(keepSecret)
}

/** A few at a time. */
async function several(count: number, each: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const work = async () => {
    for (let index = next++; index < count; index = next++) await each(index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
