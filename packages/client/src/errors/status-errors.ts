import { type ErrorFacts, RailyardError } from './railyard-error.ts'

/** 400 and 422: `details` name the members that are wrong. */
export class ValidationError extends RailyardError {
  override name = 'ValidationError'
}
/** 401: the token is missing, expired or signed by an unknown key. */
export class AuthenticationError extends RailyardError {
  override name = 'AuthenticationError'
}
/** 403: the token may not do this. */
export class PermissionError extends RailyardError {
  override name = 'PermissionError'
}
/** 404: not found, or not visible. */
export class NotFoundError extends RailyardError {
  override name = 'NotFoundError'
}
/** 409: the record exists already (`resourceId`), or has changed since it was read. */
export class ConflictError extends RailyardError {
  override name = 'ConflictError'
}
/** 425: the previous action on this payment has no known outcome yet. */
export class TooEarlyError extends RailyardError {
  override name = 'TooEarlyError'
}
/** 429: too many requests. */
export class RateLimitError extends RailyardError {
  override name = 'RateLimitError'
}
/** 5xx: Railyard, or what it needs, cannot answer. */
export class ServiceError extends RailyardError {
  override name = 'ServiceError'
}

const classes: Readonly<Record<number, new (facts: ErrorFacts) => RailyardError>> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: ValidationError,
  425: TooEarlyError,
  429: RateLimitError,
}

/** The error of an answer, in the class of its status. */
export function errorOf(facts: ErrorFacts): RailyardError {
  const Class = classes[facts.status] ?? (facts.status >= 500 ? ServiceError : RailyardError)
  return new Class(facts)
}
