import type { FakeEffect } from '../../../src/connector-kit/fake-provider.ts'
import type { NotificationForCall } from '../../../src/connectors/contract/connector.ts'
import { signedWebhook } from './fake-webhook.ts'

export interface Money {
  value: number
  currency: string
}

/** A payment in the fake's books. Amounts are in the provider's own smallest unit. */
export interface FakePayment {
  psp: string
  reference: string
  money: Money
  captured: number
  refunded: number
  cancelled: boolean
  /** Waits for its cardholder; no money is held. */
  challenged: boolean
  refusal: { code: string; reason: string } | null
  capturesAtOnce: boolean
  storedAs: { shopper: string; token: string } | null
  /** The gift card that it was taken off. */
  giftCard?: { balance: Money }
}

export interface FakeEvent {
  eventCode: string
  success: boolean
  pspReference: string
  originalReference?: string
  merchantReference: string
  amount: Money
  reason?: string
  additionalData?: Record<string, string>
}

/** What the fake remembers, and how money moves in it. */
export interface FakeBooks {
  payments: Map<string, FakePayment>
  effects: FakeEffect[]
  nextPsp(): string
  byReference(reference: string): FakePayment | undefined
  notify(event: FakeEvent): void
  takeNotifications(): NotificationForCall[]
  /** A webhook about a payment that another system of the merchant made. */
  foreignNotification(): NotificationForCall
  /** Holds the money of a payment, captures it if it is a sale, and tells of it. */
  authorize(payment: FakePayment): void
}

export const MERCHANT = 'RailyardTestECOM'
export const HMAC_KEY = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'

/** Currencies whose smallest unit is another one at the provider than in ISO 4217: the factor between them. */
const factors: Readonly<Record<string, number>> = { CLP: 0.01, ISK: 0.01, IDR: 100, CVE: 100 }
export const isoAmount = ({ value, currency }: Money): number => value * (factors[currency] ?? 1)

export function fakeBooks(now: () => number): FakeBooks {
  const payments = new Map<string, FakePayment>()
  const effects: FakeEffect[] = []
  const events: FakeEvent[] = []
  let count = 0
  const nextPsp = () => {
    count += 1
    return `NC6HT9CRT65ZG${`${count}`.padStart(3, '0')}`
  }
  const notify = (event: FakeEvent) => void events.push(event)
  const signed = (event: FakeEvent) => signedWebhook(event, { merchant: MERCHANT, key: HMAC_KEY, now: now() })
  return {
    payments,
    effects,
    nextPsp,
    notify,
    byReference: (reference) => [...payments.values()].findLast((each) => each.reference === reference),
    takeNotifications: () => events.splice(0).map(signed),
    foreignNotification: () =>
      signed({
        eventCode: 'AUTHORISATION',
        success: true,
        pspReference: nextPsp(),
        merchantReference: 'order-of-the-shop',
        amount: { value: 1230, currency: 'EUR' },
      }),
    authorize(payment) {
      const { psp, reference, money, refusal, storedAs, capturesAtOnce } = payment
      payment.challenged = false
      notify({
        eventCode: 'AUTHORISATION',
        success: refusal === null,
        pspReference: psp,
        merchantReference: reference,
        amount: money,
        reason: refusal?.reason ?? '123456:1111:03/2030',
        additionalData: {
          cvcResult: '1 Matches',
          avsResult: '7 Both postal code and address match',
          networkTxReference: '492111111111111',
          ...(refusal && { refusalReasonRaw: '05 : Do not honor' }),
          ...(storedAs && {
            'tokenization.shopperReference': storedAs.shopper,
            'tokenization.storedPaymentMethodId': storedAs.token,
          }),
        },
      })
      if (refusal) return
      const kind = capturesAtOnce ? 'sale' : 'authorize'
      if (capturesAtOnce) payment.captured = money.value
      effects.push({ key: reference, kind, payment: psp, amount: isoAmount(money), currency: money.currency })
    },
  }
}
