/** A member's name as a step of a JSON pointer (RFC 6901 §3). */
export const escapePointerStep = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** The member's name that a step of a JSON pointer stands for (RFC 6901 §4). */
export const unescapePointerStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')
