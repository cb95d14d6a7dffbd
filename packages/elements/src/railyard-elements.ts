import type { CardElement, CardOptions } from './card.ts'
import type { CardFields, CardFieldsOptions } from './card-fields.ts'

export interface RailyardElementsOptions {
  /** Where Railyard serves its card fields: `ELEMENTS_ORIGIN`, or `PUBLIC_URL` without it. */
  origin: string
  /** The id of a checkout session, which your server has made. The card is put into it. */
  session: string
}

export interface RailyardElements {
  /** All fields of a card in one frame. */
  card(options?: CardOptions): CardElement
  /** Each field in a frame of its own. */
  cardFields(options?: CardFieldsOptions): CardFields
  /** Another checkout session gets what is submitted from now on, such as for a second attempt. */
  useSession(session: string): void
}
