/** Below which path the server shows the pages of the sandbox's providers. */
export const sandboxPagesPrefix = '/sandbox/providers'

/** The URL at which a buyer's browser reaches the sandbox's providers. */
export const sandboxPagesUrl = (publicUrl: string): string => `${publicUrl}${sandboxPagesPrefix}`
