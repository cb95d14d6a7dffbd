/** Query parameters that are credentials: session exchange and completion carry them (FIGURES §1.4). */
const credentials = /([?&](?:token|authorization_token)=)[^&]*/gi

/** A URL as a log may hold it: credentials and the secret part of notification URLs are taken out. */
export const redactUrl = (url: string): string => url.replace(credentials, '$1***').replace(/^(\/notifications\/[^/]+\/[^/]+\/)[^/?]+/, '$1***')
