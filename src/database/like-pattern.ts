/**
 * A pattern for `like` and `ilike` that finds this text anywhere; its `%`, `_` and `\` are taken literally.
 */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
