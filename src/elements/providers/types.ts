import type { CardFieldName, CardStyle, ElementEvents, RailyardElementsErrorCode } from '../loader/types.ts'
import type { Provider, ProviderName } from './provider.ts'

/** What the script of a provider made of a card, and what it tells of it. Only the token is certain. */
export interface ProviderToken {
  token: string | Readonly<Record<string, unknown>>
  /** The first six to eight digits. */
  bin?: string | null | undefined
  /** The last four digits. */
  card_suffix?: string | null | undefined
  /** As the API names it. */
  card_scheme?: string | null | undefined
  /** `MM/YY` */
  expiration_date?: string | null | undefined
}

/** The fields of a provider that the page shows. */
export interface ProviderFields {
  /** A token of what the buyer entered, or the code of an error. */
  createToken(): Promise<ProviderToken | { code: RailyardElementsErrorCode }>
  setStyle(style: CardStyle): void
  clear(): void
  focus(): void
  remove(): void
}

/** What the loader asks an adapter for. */
export interface ShowOptions {
  /** The element of the page in which the card appears. */
  place: Element
  provider: Provider
  style: CardStyle
  /** BCP 47 */
  locale: string | undefined
  postalCode: boolean
  emit: <Name extends keyof ElementEvents>(name: Name, event: ElementEvents[Name]) => void
}

/** Shows the fields of a provider. Rejects if its script did not start. */
export type ShowFields = (options: ShowOptions) => Promise<ProviderFields>

/** What an adapter gets to speak with the script of its provider. */
export interface MountOptions extends Omit<ShowOptions, 'place' | 'emit'> {
  /** The element in which the fields appear. */
  box: HTMLElement
  onChange: (change: {
    complete: boolean
    isEmpty: boolean
    brand: string | null
    last4: string | null
  }) => void
  onFocus: (field: CardFieldName) => void
  onBlur: (field: CardFieldName) => void
}

/** Mounts the fields of a provider. Rejects if its script did not start. */
export type Adapter = (options: MountOptions) => Promise<ProviderFields>

declare global {
  /** The adapters that the page has loaded. */
  var railyardProviders: Partial<Record<ProviderName, ShowFields>> | undefined
}
