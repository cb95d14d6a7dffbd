/** The titles of the pages for developers, apart from their other texts, which are loaded with the pages. */
export const developerWords = {
  apiKeys: 'API keys',
  webhooks: 'Webhooks',
  eventLog: 'Event log',
  sandbox: 'Sandbox',
} as const
