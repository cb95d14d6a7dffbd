import type {
  OperationForCall,
  OperationKind,
  OrderForCall,
  PaymentContext,
  PayoutContext,
} from '../connectors/contract/call.ts'
import type { Definition } from '../connectors/contract/connector.ts'
import type { Outcome } from '../connectors/contract/outcome.ts'
import type { ConnectorUnderTest } from './fake-provider.ts'
import type { Harness, SuiteOperation } from './harness.ts'

/** A multiple of ten, because some providers take no other amounts in currencies of three decimals. */
export const AMOUNT = 1230

let operations = 0

/** An operation's id: a UUIDv7 as Railyard's, which begins with the time, and another one each time. */
const nextId = (now: number): string => {
  operations += 1
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7085-bf8e-${String(operations).padStart(12, '0')}`
}

/** What a payment brings from the operations before it. */
export interface PaymentIds {
  paymentReference: string | null
  identifiers: Readonly<Record<string, string>>
}

export const noPayment: PaymentIds = { paymentReference: null, identifiers: {} }

/** The provider's ids after an outcome. */
export function idsAfter(before: PaymentIds, outcome: Outcome | undefined): PaymentIds {
  if (!outcome || !('references' in outcome)) return before
  const { transaction, identifiers } = outcome.references
  return {
    paymentReference: transaction ?? before.paymentReference,
    identifiers: { ...before.identifiers, ...identifiers },
  }
}

export interface OperationOptions {
  amount?: number
  currency?: string
  final?: boolean
}

export function newOperation(
  { underTest, harness }: { underTest: ConnectorUnderTest; harness: Pick<Harness, 'now'> },
  kind: OperationKind,
  ids: PaymentIds,
  { amount = AMOUNT, currency = underTest.currency, final = true }: OperationOptions = {},
): OperationForCall {
  const id = nextId(harness.now())
  return {
    id,
    kind,
    amount,
    currency,
    final,
    ...ids,
    committedReference: null,
    mark: null,
    sentBefore: false,
  }
}

/** An approval, an authorization or a sale; `more` has what its instrument changes, and the order. */
export function newPayment(
  definition: Definition,
  operation: OperationForCall,
  more: Partial<PaymentContext>,
): SuiteOperation {
  const order = more.order ?? orderFor(operation)
  const payment: PaymentContext = {
    instrument: {},
    billingPostalCode: '10115',
    allowPartialAuthorization: false,
    purchase: async () => order,
    canChallenge: true,
    storesInstrument: false,
    options: {},
    ...(definition.approval && more.instrument?.serviceToken === undefined && { order }),
    ...more,
  }
  return { operation, payment }
}

/** A payout to the card of the approved instrument. */
export function newPayout({ instruments }: ConnectorUnderTest, operation: OperationForCall): SuiteOperation {
  const payout: PayoutContext = {
    instrument: instruments.approved.instrument ?? {},
    category: null,
    merchant: null,
    options: {},
  }
  return { operation, payout }
}

const orderFor = ({ id, kind, amount }: OperationForCall): OrderForCall => {
  const base = `https://railyard.example/approvals/shop/${id}/${'a'.repeat(43)}`
  const person = { first_name: 'Ada', last_name: 'Beispiel', email_address: 'ada@example.com' }
  const address = { line1: 'Weg 1', city: 'Berlin', postal_code: '10115', country: 'DE' }
  return {
    transaction: id.replace('-bf8e-', '-9f8e-'),
    intent: kind === 'sale' ? 'capture' : 'authorize',
    country: 'DE',
    lines: [{ name: 'Lamp', quantity: 1, unit_amount: amount, sku: 'L-1' }],
    shipping: { ...person, address },
    buyer: {
      id: '01a20008-7d03-7085-8f8e-63e8acb22817',
      name: 'Ada Beispiel',
      email: 'ada@example.com',
      billing: { ...person, address },
    },
    browser: null,
    description: 'Order 7',
    statementDescriptor: 'EXAMPLE SHOP',
    reference: 'order-7',
    merchantName: 'Example shop',
    returnUrls: { approved: `${base}/approved`, cancelled: `${base}/cancelled`, failed: `${base}/failed` },
    integrationClient: 'redirect',
  }
}
