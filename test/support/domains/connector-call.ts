import type {
  Call,
  OperationForCall,
  PaymentContext,
  PurchaseForCall,
  StoredNotice,
} from '../../../src/connectors/contract/call.ts'
import type { HttpAnswer, HttpRequest } from '../../../src/connectors/wire/http-message.ts'

/** A purchase without a buyer, for tests that call a connector directly. */
export const purchase = (more: Partial<PurchaseForCall> = {}): PurchaseForCall => ({
  transaction: '01920000-0000-7000-8000-000000000001',
  intent: 'authorize',
  country: null,
  lines: [],
  shipping: null,
  buyer: null,
  browser: null,
  description: null,
  statementDescriptor: null,
  reference: 'order-1',
  merchantName: 'Test shop',
  returnUrls: {
    approved: 'https://railyard.test/approved',
    cancelled: 'https://railyard.test/cancelled',
    failed: 'https://railyard.test/failed',
  },
  ...more,
})

/** What a payment is paid with and for; without `instrument` it has none. */
export const paymentFor = (more: Partial<PaymentContext> = {}): PaymentContext => ({
  instrument: {},
  billingPostalCode: null,
  allowPartialAuthorization: false,
  purchase: async () => purchase(),
  canChallenge: true,
  storesInstrument: false,
  options: {},
  ...more,
})

/** An operation of 10.00 EUR. */
export const operationFor = (more: Partial<OperationForCall> = {}): OperationForCall => ({
  id: '01920000-0000-7000-8000-00000000000a',
  kind: 'authorize',
  amount: 10_00,
  currency: 'EUR',
  final: true,
  paymentReference: null,
  committedReference: null,
  mark: null,
  identifiers: {},
  sentBefore: false,
  ...more,
})

/** A call as Railyard makes it. `committed` and `marks` list what the connector commits. */
export function callFor({
  http,
  fields,
  operation,
  notices = [],
  committed = [],
  marks = [],
  ...more
}: {
  http: (request: HttpRequest) => Promise<HttpAnswer>
  fields: Readonly<Record<string, string>>
  operation: OperationForCall
  payment?: PaymentContext
  notices?: readonly StoredNotice[]
  committed?: string[]
  marks?: string[]
}): Call {
  return {
    http,
    service: {
      id: '01920000-0000-7000-8000-0000000000ff',
      fields,
      notificationUrl: 'https://railyard.test/notifications/shop/service/token',
    },
    operation,
    commitReference: async (reference) => void committed.push(reference),
    commitMark: async (mark) => void marks.push(mark),
    notices: async () => notices,
    ...more,
  }
}
