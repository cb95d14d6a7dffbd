export { ConnectionError, type ErrorCode, type ErrorDetail, RailyardError } from './errors/railyard-error.ts'
export {
  AuthenticationError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceError,
  TooEarlyError,
  ValidationError,
} from './errors/status-errors.ts'
export type { Condition, Leaf } from './generated/conditions.ts'
export type { EventTargets } from './generated/events.ts'
export type * from './generated/resources.ts'
export type * from './generated/schemas.ts'
export type { List } from './list.ts'
export type { RailyardOptions, RequestOptions } from './options.ts'
export { createRailyard, type Railyard } from './railyard.ts'
export type { Telemetry, TelemetryRequest, TelemetryResponse } from './telemetry.ts'
export type { EmbedConstraints, EmbedTokenOptions } from './token/embed-token.ts'
export type { PrivateKey } from './token/private-key.ts'
export type { EventName, RailyardEvent } from './webhooks/event.ts'
export { type VerifyOptions, verifyWebhook, WebhookVerificationError } from './webhooks/verify-webhook.ts'
