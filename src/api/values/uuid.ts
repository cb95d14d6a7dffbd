const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether the database takes this text for a UUID. */
export const isUuid = (text: string): boolean => uuid.test(text)

/**
 * An id of a request's body in the form in which it is stored: ids are compared as text, and clients may
 * write them in capitals.
 */
export const canonicalId = (id: string): string => id.toLowerCase()
