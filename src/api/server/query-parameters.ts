import { type TSchema, Type } from 'typebox'
import type { App } from '../app.ts'

/**
 * Refuses query parameters that an operation does not have (422, semantics §0.2), on lists and on other
 * operations with parameters: a misspelt filter would otherwise answer the whole list. A route that sets
 * `additionalProperties` of its `querystring` keeps it. Public operations take any parameter: buyers come to
 * them from pages that add their own.
 */
export function refuseUnknownParameters(app: App): void {
  app.addHook('onRoute', ({ schema, config }) => {
    if (!schema || config?.scopes === 'public') return
    const { querystring } = schema
    if (isSchema(querystring)) schema.querystring = { additionalProperties: false, ...querystring }
    else if (answersList(schema.response))
      schema.querystring = Type.Object({}, { additionalProperties: false })
  })
}

const isSchema = (value: unknown): value is TSchema => typeof value === 'object' && value !== null

/** Whether the answer is the envelope of a list, or a bare array (semantics §1.11). */
function answersList(response: unknown): boolean {
  const answer = isSchema(response) && '200' in response ? response['200'] : undefined
  if (!isSchema(answer)) return false
  const isEnvelope =
    'properties' in answer && isSchema(answer['properties']) && 'items' in answer['properties']
  return isEnvelope || ('type' in answer && answer['type'] === 'array')
}
