export { RailyardElementsError } from '../../../src/elements/loader/error.js'
export { loadRailyard } from '../../../src/elements/loader/load-railyard.js'
export type {
  CardChange,
  CardElement,
  CardFieldName,
  CardFields,
  CardOptions,
  CardStyle,
  CheckoutChange,
  CheckoutElement,
  CheckoutEvents,
  CheckoutOptions,
  ConfirmedPayment,
  DeclineAdvice,
  ElementEvents,
  FieldElement,
  RailyardElements,
  RailyardElementsErrorCode,
  RailyardElementsOptions,
  SubmittedCard,
} from '../../../src/elements/loader/types.ts'
