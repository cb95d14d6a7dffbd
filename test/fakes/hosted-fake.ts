import type { BuyerDecision, FakeAnswer, FakeEffect } from '../../src/connector-kit/fake-provider.ts'
import type { NotificationForCall } from '../../src/connectors/contract/connector.ts'
import type { HttpRequest } from '../../src/connectors/wire/http-message.ts'

export const fakeNames = ['stripe', 'adyen', 'checkout', 'mollie'] as const
export type FakeName = (typeof fakeNames)[number]

/** A card that is entered into the page of the provider's browser script. */
export interface EnteredCard {
  number: string
  /** Empty: the page does not ask for it. */
  holderName: string
}

/** A provider's fake, as the loopback server needs it. */
export interface HostedFake {
  /** What a merchant has of the provider, by the environment variable in which its guide keeps it. */
  credentials: Readonly<Record<string, string>>
  /** The file of the browser script's stand-in. */
  script: URL
  /** URLs of the browser script in the provider's guide; the fake serves its stand-in for each. */
  scriptUrls: RegExp
  /** Pages of the provider to which buyers are sent. */
  pageUrls: RegExp
  receive(request: HttpRequest): FakeAnswer
  /** What the browser script produces; undefined: it is no test card of the provider. */
  tokenFor(card: EnteredCard): unknown
  /** Every movement of money, oldest first. */
  effects(): readonly FakeEffect[]
  visit(url: string, decision: BuyerDecision): Record<string, string>
  /** The URL that a request registers for notifications. */
  webhookUrlIn(request: HttpRequest): string | undefined
  /** Registers a URL without a request of a merchant. */
  registerWebhook(url: string): void
  /** The notifications that are due to the registered URL. */
  takeNotifications(): NotificationForCall[]
  /** Sets the fake's clock, in milliseconds since 1970. */
  setTime(now: number): void
}

/** A member of a JSON object or of a form, if it is a text. */
export function textIn(body: unknown, name: string): string | undefined {
  const value: unknown =
    typeof body === 'object' && body !== null ? Object.getOwnPropertyDescriptor(body, name)?.value : undefined
  return typeof value === 'string' ? value : undefined
}

/** The path of a request, without its query. */
export const pathOf = ({ url }: HttpRequest): string => new URL(url).pathname
