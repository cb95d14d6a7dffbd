export type { CardElement, CardOptions } from './card.ts'
export type { CardFields, CardFieldsOptions, FieldElement } from './card-fields.ts'
export type { CheckoutElement, CheckoutOptions } from './checkout.ts'
export { type DeclineAdvice, RailyardElementsError, type RailyardElementsErrorCode } from './error.ts'
export { loadRailyard, type RailyardElements, type RailyardElementsOptions } from './load-railyard.ts'
export type {
  CardChange,
  CardFieldName,
  CardStyle,
  CheckoutChange,
  CheckoutEvents,
  ConfirmedPayment,
  ElementEvents,
  SubmittedCard,
} from './messages.ts'
