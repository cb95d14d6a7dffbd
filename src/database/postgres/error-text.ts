/** What an error says; one of several attempts to connect has a code alone. */
export const errorText = (error: unknown): string =>
  error instanceof Error
    ? error.message || ('code' in error ? String(error.code) : error.name)
    : String(error)

/** What the driver says where no connection was free, or made, in time, and where a query was not answered. */
export const CONNECT_TIMEOUT = 'timeout exceeded when trying to connect'
export const QUERY_TIMEOUT = 'Query read timeout'
