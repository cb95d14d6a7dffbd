/** A member of a provider's message, if it is text; else null. */
export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A member of a provider's message, if it is text and not empty; else null. */
export const nonEmptyText = (value: unknown): string | null => text(value) || null

/**
 * The first characters of a text. A cut between the two halves of a surrogate pair would leave ill-formed
 * text, so it counts code points.
 */
export const truncate = (value: string, length: number): string => [...value].slice(0, length).join('')
