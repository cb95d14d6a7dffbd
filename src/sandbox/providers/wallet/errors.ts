import { type Answer, json } from '../../core/provider-messages.ts'

/** The names and messages of the wallet's errors, by status. */
const forms = {
  400: ['INVALID_REQUEST', 'Request is not well-formed, syntactically incorrect, or violates schema.'],
  401: [
    'AUTHENTICATION_FAILURE',
    'Authentication failed due to missing authorization header, or invalid authentication credentials.',
  ],
  403: ['NOT_AUTHORIZED', 'Authorization failed due to insufficient permissions.'],
  404: ['RESOURCE_NOT_FOUND', 'The specified resource does not exist.'],
  409: ['RESOURCE_CONFLICT', 'The server has detected a conflict while processing this request.'],
  422: [
    'UNPROCESSABLE_ENTITY',
    'The requested action could not be performed, semantically incorrect, or failed business validation.',
  ],
} as const satisfies Record<number, readonly [name: string, message: string]>

export type ErrorStatus = keyof typeof forms

/** An error in the wallet's form; `issue` is the code that callers read. */
export function walletError(status: ErrorStatus, issue?: string, field?: string): Answer {
  const [name, message] = forms[status]
  const details = issue && [
    { issue, description: issue.toLowerCase().replaceAll('_', ' '), ...(field && { field }) },
  ]
  return json(status, { name, message, debug_id: 'sandbox', ...(details && { details }) })
}

export const notFound = walletError(404, 'INVALID_RESOURCE_ID')

/** The statuses of issues other than 422. */
const statuses: Readonly<Record<string, ErrorStatus>> = {
  CONSENT_NEEDED: 403,
  INVALID_ACCOUNT_STATUS: 401,
  INVALID_ARRAY_MAX_ITEMS: 400,
  INVALID_ARRAY_MIN_ITEMS: 400,
  INVALID_COUNTRY_CODE: 400,
  INVALID_PARAMETER_SYNTAX: 400,
  INVALID_PARAMETER_VALUE: 400,
  INVALID_RESOURCE_ID: 404,
  INVALID_STRING_LENGTH: 400,
  INVALID_STRING_MAX_LENGTH: 400,
  MALFORMED_REQUEST_JSON: 400,
  MISSING_REQUIRED_PARAMETER: 400,
  NOT_ELIGIBLE_FOR_TOKEN_PROCESSING: 403,
  NOT_SUPPORTED: 400,
  PAYEE_ACCOUNT_NOT_VERIFIED: 403,
  PAYPAL_REQUEST_ID_REQUIRED: 400,
  PERMISSION_DENIED: 403,
  PERMISSION_DENIED_FOR_DONATION_ITEMS: 403,
  PREVIOUS_REQUEST_IN_PROGRESS: 409,
}

export const issueError = (issue: string): Answer => walletError(statuses[issue] ?? 422, issue)
