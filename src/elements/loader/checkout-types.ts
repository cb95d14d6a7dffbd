import type { RailyardElementsError } from './error.js'
import type { openFrame } from './frame-host.js'
import type { CardStyle, CheckoutElement, CheckoutEvents, ElementContext, Frame, Listeners } from './types.ts'

/** What the loader gives the part of a checkout. Errors are of the loader's class, which the page imports. */
export interface CheckoutHost {
  context: ElementContext
  /** The frame with the checkout, which has started. */
  frame: Frame
  /** Frames of this group find each other. */
  group: string
  /** The parameter `locale` of frames, if the page has chosen one. */
  language: Readonly<Record<string, string>>
  style: () => CardStyle | undefined
  emit: Listeners<CheckoutEvents>['emit']
  openFrame: typeof openFrame
  errorOf: (code: unknown) => RailyardElementsError
  RailyardElementsError: typeof RailyardElementsError
}

/** What a page does for a checkout while the buyer pays. */
export interface CheckoutPart {
  /** Hears what the frame tells. */
  hear(message: Record<string, unknown>): void
  confirm: CheckoutElement['confirm']
  remove(): void
}

declare global {
  /** Set by the part of a checkout, which Railyard serves. */
  var railyardCheckout: ((host: CheckoutHost) => CheckoutPart) | undefined
}
