/** What a connector's package may import, as `railyard/connector`. */
export type {
  Address,
  BrowserForCall,
  Call,
  CardForCall,
  CartLine,
  Exchange,
  Instrument,
  NetworkTokenForCall,
  OperationForCall,
  OperationKind,
  OrderForCall,
  PaymentContext,
  PayoutContext,
  PayoutSender,
  PurchaseForCall,
  ServiceCall,
  ServiceForCall,
  Shipping,
  StoredCredential,
  StoredNotice,
} from '../connectors/contract/call.ts'
export type * from '../connectors/contract/connector.ts'
export type { ConnectorOptions } from '../connectors/contract/connector-package.ts'
export type { ErrorCode } from '../connectors/contract/error-codes.ts'
export type * from '../connectors/contract/outcome.ts'
export type { HttpAnswer, HttpRequest } from '../connectors/wire/http-message.ts'
export type { ConnectorPackage } from './connector-package.ts'
export type * from './fake-provider.ts'
