import { type TSchema, Type } from 'typebox'
import type { App } from '../app.ts'

/**
 * Refuses query parameters that an operation does not have (422, SEMANTICS §0.2): on every list, and on each other operation with parameters. A misspelt filter would otherwise
 * answer the whole list. A route whose `querystring` says whether it takes others keeps what it says. Operations without a bearer take any: buyers come to them from pages that add their own.
 */
export function refuseUnknownParameters(app: App): void {
  app.addHook('onRoute', ({ schema, config }) => {
    if (!schema || config?.scopes === 'public') return
    const { querystring } = schema
    if (isObject(querystring)) schema.querystring = { additionalProperties: false, ...querystring }
    else if (answersList(schema.response)) schema.querystring = Type.Object({}, { additionalProperties: false })
  })
}

const isObject = (value: unknown): value is TSchema => typeof value === 'object' && value !== null

/** Whether the answer is the envelope of a list, or a bare array (SEMANTICS §1.11). */
function answersList(response: unknown): boolean {
  const answer = isObject(response) && '200' in response ? response['200'] : undefined
  if (!isObject(answer)) return false
  const isEnvelope = 'properties' in answer && isObject(answer['properties']) && 'items' in answer['properties']
  return isEnvelope || ('type' in answer && answer['type'] === 'array')
}
