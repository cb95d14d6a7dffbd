interface ApiErrorMeaning {
  status: number
  /** When it is answered, in one sentence. */
  meaning: string
  /** What the client does about it. */
  advice: string
}

const correctRequest = 'Correct the request; sent again as it is, it fails again'
const sameKey = 'Send the same request again after `Retry-After`, a POST under the same idempotency key'

/** Every `code` of an error answer (API §7.1, semantics §1.6); docs/reference/errors.md is made of it. */
export const apiErrorCodes = {
  bad_request: {
    status: 400,
    meaning: 'The shape is right and a rule is broken; `details` names the member',
    advice: correctRequest,
  },
  incorrect_json: {
    status: 400,
    meaning: 'The body is not valid JSON, or names a member twice',
    advice: correctRequest,
  },
  invalid_credentials: {
    status: 400,
    meaning: 'The payment service refuses the credentials that were to be verified',
    advice: 'Enter others',
  },
  unauthorized: {
    status: 401,
    meaning: 'The bearer token or the session is missing, invalid, expired or not valid yet',
    advice: 'Sign a new token',
  },
  totp_required: {
    status: 401,
    meaning: 'Signing in needs the code of the authenticator app',
    advice: 'Ask the person for the code',
  },
  totp_invalid: {
    status: 401,
    meaning: 'The code of the authenticator app is wrong',
    advice: 'Ask the person for a new code',
  },
  passkey_required: {
    status: 401,
    meaning: 'The person’s second factor is a passkey, and the password alone signs nobody in',
    advice: 'Sign in by `POST /sessions/passkey`; an administrator resets a person who has lost the passkey',
  },
  user_disabled: {
    status: 401,
    meaning: 'The person may not sign in any more',
    advice: 'Ask an administrator',
  },
  forbidden: {
    status: 403,
    meaning: 'The token or the person lacks the scope, or the merchant account is not theirs',
    advice: 'Use a key with the scope that the operation names',
  },
  approval_required: {
    status: 403,
    meaning: 'An approval policy asks for the approval of other people; `details` names it',
    advice: 'Propose the same request by `POST /proposals`',
  },
  spending_limit_exceeded: {
    status: 403,
    meaning:
      'The key pair or the person may not spend this much; `details` has each limit with what is used and what remains, `resource_id` names it',
    advice: 'Ask for less, wait for the next day in UTC, or propose the request for approval',
  },
  not_found: {
    status: 404,
    meaning: 'There is no such resource or path, or it belongs to another merchant account',
    advice: 'Check the id and the merchant account',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not know this method; `Allow` lists those that it knows',
    advice: correctRequest,
  },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time', advice: 'Send it again' },
  duplicate_record: {
    status: 409,
    meaning:
      'A record with this unique value exists, or the idempotency key was used with another body; `resource_id` names it',
    advice: 'Use the existing record, or another key',
  },
  concurrent_request: {
    status: 409,
    meaning:
      'With `Retry-After`: a request with this idempotency key is in progress. Without: what you have read has changed',
    advice: 'Send the same request again; without `Retry-After`, read first',
  },
  gone: {
    status: 410,
    meaning: 'The event of the cursor is not in the log any more, since the database was restored',
    advice: 'Continue from `next_cursor`',
  },
  payload_too_large: {
    status: 413,
    meaning: 'The body is larger than 1 MiB, or 128 KiB where no bearer is needed',
    advice: correctRequest,
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is not `application/json`',
    advice: correctRequest,
  },
  expectation_failed: {
    status: 417,
    meaning: 'The header `Expect` asks for something other than `100-continue`',
    advice: correctRequest,
  },
  too_early: {
    status: 425,
    meaning: 'A previous action on the transaction is still executing, or the buyer has not approved yet',
    advice: sameKey,
  },
  too_many_requests: {
    status: 429,
    meaning: 'A browser, a checkout session or an address has sent too many requests',
    advice: 'Wait for `Retry-After`',
  },
  headers_too_large: { status: 431, meaning: 'The headers are too large', advice: correctRequest },
  server_error: { status: 500, meaning: 'Railyard failed in a way that is not expected', advice: sameKey },
  bad_gateway: {
    status: 502,
    meaning: 'A part of the installation that has to answer does not',
    advice: sameKey,
  },
  service_unavailable: {
    status: 503,
    meaning:
      'The database cannot be reached, or there is more to do than can be done in time; nothing was done',
    advice: sameKey,
  },
  gateway_timeout: {
    status: 504,
    meaning: 'What the payment service thinks cannot be found out now',
    advice: sameKey,
  },
} as const satisfies Record<string, ApiErrorMeaning>

export type ApiErrorCode = keyof typeof apiErrorCodes
