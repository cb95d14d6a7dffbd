import type { FakeAnswer } from '../../../src/connector-kit/fake-provider.ts'
import { toHttpAnswer } from '../../../src/connector-kit/harness.ts'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'
import { compareAtPaymentServices, type Difference } from '../../../src/verify/compare-at-payment-services.ts'
import { startTestRailyard, type TestRailyard } from '../railyard.ts'
import { addService, openShop, type Shop } from '../shop.ts'

/** What a shop needs of a provider in memory. */
interface ProviderInMemory {
  receive(request: HttpRequest): FakeAnswer
  takeNotifications(): NotificationForCall[]
}

export interface ProviderShopOptions {
  definition: string
  /** The end of the provider's host. */
  host: string
  fields: Readonly<Record<string, string>>
  /** The provider's token that pays; absent: a card number. */
  token?: unknown
  /** What the payment service accepts; absent: what a card service does. */
  accepts?: { accepted_currencies: readonly string[]; accepted_countries: readonly string[] }
  /** Time passes at the provider. */
  advance(ms: number): void
}

/** A merchant whose only active payment service is a real provider's, by its fake. */
export interface ProviderShop {
  railyard: TestRailyard
  shop: Shop
  /** The next request to the provider gets no answer, and stays on its way until `arrive`. */
  loseNext(isSent?: boolean): void
  arrive(): void
  /** The provider carries out the next request to this path, and its answer is `held` until `release`. */
  holdAnswer(path: RegExp): { held: Promise<void>; release(): void }
  /** Delivers what is due, or these notifications again; answers them. */
  deliver(messages?: NotificationForCall[]): Promise<NotificationForCall[]>
  /** Time passes here and there. */
  advance(ms: number): void
  /** What recovery and webhooks have to do, until nothing is left. */
  settle(): Promise<void>
  /** How a payment is paid with the provider's token. */
  payment: Record<string, unknown>
  lateOutcomes(result: string): Promise<number>
  /** The operations for which the provider's books and ours differ. */
  differences(): Promise<Difference['operation'][]>
}

export async function openProviderShop(
  provider: ProviderInMemory,
  options: ProviderShopOptions,
): Promise<ProviderShop> {
  const railyard = await startTestRailyard()
  const { http } = railyard.world
  const send = http.request.bind(http)
  const onTheWay: HttpRequest[] = []
  let fault: { isSent: boolean } | undefined
  let hold: { path: RegExp; begin(): void; over: Promise<void> } | undefined
  http.request = async (request): Promise<HttpAnswer> => {
    if (!new URL(request.url).host.endsWith(options.host)) return send(request)
    if (fault) {
      const { isSent } = fault
      fault = undefined
      onTheWay.push(request)
      return { lost: true, sent: isSent, reason: 'no answer in time' }
    }
    const answer = toHttpAnswer(provider.receive(request), request)
    if (hold?.path.test(request.url)) {
      const { begin, over } = hold
      hold = undefined
      begin()
      await over
    }
    return answer
  }
  const shop = await openShop(railyard)
  const service = await addService(railyard, shop, {
    display_name: 'Provider',
    payment_service_definition_id: options.definition,
    fields: Object.entries(options.fields).map(([key, value]) => ({ key, value })),
    ...options.accepts,
  })
  const { body } = await shop.get(`/payment-services/${service}`)
  const webhook = new URL(body.webhook_url).pathname
  await railyard.admin.put(
    `/payment-services/${shop.paymentServiceId}`,
    { active: false },
    { 'x-svc-merchant-account-id': shop.account },
  )

  const deliver: ProviderShop['deliver'] = async (messages = provider.takeNotifications()) => {
    for (const message of messages)
      await railyard.send('POST', webhook, {
        body: message.text,
        headers: {
          'content-type': 'application/json',
          ...Object.fromEntries(
            Object.entries(message.headers).flatMap(([name, value]) =>
              typeof value === 'string' ? [[name, value]] : [],
            ),
          ),
        },
      })
    return messages
  }

  return {
    railyard,
    shop,
    loseNext: (isSent = true) => {
      fault = { isSent }
    },
    arrive: () => {
      for (const request of onTheWay.splice(0)) provider.receive(request)
    },
    holdAnswer(path) {
      const begin = Promise.withResolvers<void>()
      const over = Promise.withResolvers<void>()
      hold = { path, begin: begin.resolve, over: over.promise }
      return { held: begin.promise, release: over.resolve }
    },
    deliver,
    advance: (ms) => {
      railyard.clock.advance(ms)
      options.advance(ms)
    },
    async settle() {
      for (let round = 0; round < 4; round += 1) {
        await railyard.recovery.runOnce()
        await deliver()
      }
    },
    payment: {
      country: 'DE',
      ...(options.token !== undefined && {
        payment_method: {
          method: 'provider-token',
          payment_service_id: service,
          token: options.token,
          bin: '411111',
          card_suffix: '1111',
        },
      }),
    },
    async differences() {
      const found: Difference['operation'][] = []
      await compareAtPaymentServices(railyard.world, {
        since: new Date(0),
        onDifference: ({ operation }) => found.push(operation),
        onUnavailable: (_, reason) => {
          throw new Error(reason)
        },
      })
      return found
    },
    async lateOutcomes(result) {
      const name = 'railyard_late_outcomes_total'
      const text = await railyard.world.metrics.registry.getSingleMetricAsString(name)
      return Number(new RegExp(`result="${result}"\\} (\\d+)`).exec(text)?.[1])
    },
  }
}
