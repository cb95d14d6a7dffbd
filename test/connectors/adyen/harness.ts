import { adyenCard, adyenRedirects } from '../../../src/connectors/adyen/connector.ts'
import type { OperationForCall, StoredNotice } from '../../../src/connectors/contract/call.ts'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import * as shared from '../support/bench.ts'
import { type AdyenFake, API_KEY, adyenFake, HMAC_KEY, MERCHANT } from './fake.ts'

export type { Fault } from '../support/bench.ts'

export const fields = {
  merchant_account: MERCHANT,
  api_key: API_KEY,
  environment: 'sandbox',
  hmac_key: HMAC_KEY,
}

/** adyen-web's encrypted fields, as the provider's test system takes them from a server. */
export const encrypted = {
  type: 'scheme',
  encryptedCardNumber: 'test_4111111111111111',
  encryptedExpiryMonth: 'test_03',
  encryptedExpiryYear: 'test_2030',
  encryptedSecurityCode: 'test_737',
}

export interface Bench extends shared.Bench<AdyenFake> {
  /** Keeps what the due notifications say, as Railyard does; answers how many there were. */
  deliver(messages?: NotificationForCall[]): Promise<number>
}

/** A connector and the provider that it talks to. `definition`: of a redirect method. */
export function openBench(definition = 'adyen-card'): Bench {
  const fake = adyenFake()
  const options = { clock: fake, isSandbox: true, baseUrl: 'http://adyen.test' }
  const notices = new Map<string, StoredNotice & { subject: string }>()
  const bench = shared.openBenchOf({
    fake,
    connectors: [adyenCard(options), ...adyenRedirects(options)],
    definition,
    fields,
    payment: { instrument: { providerToken: encrypted } },
    noticesOf: ({ id, paymentReference }) =>
      [...notices.values()].filter(({ subject }) => subject === id || subject === paymentReference),
  })
  return Object.assign(bench, {
    async deliver(messages = fake.takeNotifications()) {
      for (const message of messages)
        for (const subject of await bench.read(message)) {
          if (subject.about === 'forged') throw new Error('the notification was refused')
          if ((subject.about !== 'operation' && subject.about !== 'payment') || !subject.notice) continue
          const { id, body } = subject.notice
          const key = subject.about === 'operation' ? subject.operation : subject.payment
          const received_at = new Date(fake.now()).toISOString()
          if (!notices.has(id)) notices.set(id, { body, received_at, subject: key })
        }
      return messages.length
    },
  })
}

/** An authorized payment with the identifiers that its later operations get. */
export async function authorizedPayment(bench: Bench, operation: Partial<OperationForCall> = {}) {
  const id = bench.nextId()
  const outcome = await bench.run('authorize', { id, ...operation })
  if (outcome.status !== 'approved') throw new Error(`it is ${outcome.status}`)
  await bench.deliver()
  return {
    id,
    paymentReference: outcome.references.transaction ?? null,
    identifiers: outcome.references.identifiers ?? {},
  }
}
