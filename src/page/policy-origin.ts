/** An http origin that a Content-Security-Policy can name: any other could contain a wildcard, or end the directive. */
export const isPolicyOrigin = (text: string): boolean =>
  /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d+)?$/.test(text)
