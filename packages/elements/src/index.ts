export type { CardElement, CardOptions } from './card.ts'
export type { CardFields, CardFieldsOptions, FieldElement } from './card-fields.ts'
export { RailyardElementsError, type RailyardElementsErrorCode } from './error.ts'
export { loadRailyard, type RailyardElements, type RailyardElementsOptions } from './load-railyard.ts'
export type {
  CardChange,
  CardFieldName,
  CardStyle,
  ElementEvents,
  SubmittedCard,
} from './messages.ts'
