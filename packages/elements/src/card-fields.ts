import type { CardOptions } from './card.ts'
import type { CardStyle, ElementEvents, Listener, SubmittedCard } from './messages.ts'

export type CardFieldsOptions = Omit<CardOptions, 'title'>

/** One field of a card in a frame of its own. */
export interface FieldElement {
  mount(place: string | Element): void
  unmount(): void
  focus(): void
}

/**
 * The fields of a card in frames of their own, for pages that place each by itself. Browsers fill in a whole card
 * only within one frame: prefer `card()`. The frames speak with each other through channels that the page does
 * not have.
 */
export interface CardFields {
  number: FieldElement
  expiry: FieldElement
  code: FieldElement
  /** If the option `postalCode` is set. */
  postalCode?: FieldElement
  on<Name extends keyof ElementEvents>(name: Name, listener: Listener<Name>): () => void
  submit(): Promise<SubmittedCard>
  update(options: { style: CardStyle }): void
  clear(): void
  unmount(): void
}
