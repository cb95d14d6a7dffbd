import type { DocumentFacts } from '../api/openapi/complete-document.ts'
import { errorCodes } from '../connectors/contract/error-codes.ts'
import { giftCardErrorCodes } from '../connectors/contract/gift-card-error-codes.ts'
import { eventMeanings } from '../events/event-meanings.ts'
import type { Settings } from '../settings.ts'

/** What the API document takes from the domains. */
export const documentFacts = ({ publicUrl }: Pick<Settings, 'publicUrl'>): DocumentFacts => ({
  serverUrl: publicUrl ?? '/',
  events: eventMeanings,
  errorCodes: [...new Set([...Object.keys(errorCodes), ...Object.keys(giftCardErrorCodes)])],
})
