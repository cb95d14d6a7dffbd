import type { RailyardElementsError } from '../../../src/elements/loader/error.js'

export type CardFieldName = 'number' | 'expiry' | 'code' | 'postalCode'

/** What the page learns of a card. Further brands may be added. */
export interface CardChange {
  /** Every field is valid. */
  complete: boolean
  /** By the first digits, such as `visa`; null: not known yet. */
  brand: string | null
  /** Of a complete and valid number; else null. */
  last4: string | null
  fields: Partial<Record<CardFieldName, { empty: boolean; valid: boolean }>>
}

/** A card that is in the checkout session now. */
export interface SubmittedCard {
  brand: string | null
  last4: string | null
}

/** Values of CSS, without URLs and functions that read something. */
export interface CardStyle {
  color?: string
  background?: string
  borderColor?: string
  borderRadius?: string
  borderWidth?: string
  /** Of the focused field and the brand. */
  accentColor?: string
  /** Of mistakes. */
  dangerColor?: string
  placeholderColor?: string
  labelColor?: string
  /** A font that the buyer's device has. */
  fontFamily?: string
  fontSize?: string
  padding?: string
  gap?: string
  /** `hidden`: for screen readers only. */
  labels?: 'above' | 'hidden'
}

/** The events of an element and what their listeners get. */
export interface ElementEvents {
  ready: undefined
  change: CardChange
  focus: CardFieldName
  blur: CardFieldName
  /** Enter was pressed in a field. */
  submit: undefined
  error: RailyardElementsError
}

export type Listener<Name extends keyof ElementEvents> = (event: ElementEvents[Name]) => void
