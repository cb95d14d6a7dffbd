export { RailyardElementsError } from '../../../src/elements/loader/error.js'
export { loadRailyard } from '../../../src/elements/loader/load-railyard.js'
export type { CardElement, CardOptions } from './card.ts'
export type { CardFields, CardFieldsOptions, FieldElement } from './card-fields.ts'
export type { RailyardElementsErrorCode } from './error.ts'
export type {
  CardChange,
  CardFieldName,
  CardStyle,
  ElementEvents,
  SubmittedCard,
} from './messages.ts'
export type { RailyardElements, RailyardElementsOptions } from './railyard-elements.ts'
