/** What an error says; one of several attempts to connect has a code alone. */
export const errorText = (error: unknown): string =>
  error instanceof Error
    ? error.message || ('code' in error ? String(error.code) : error.name)
    : String(error)
