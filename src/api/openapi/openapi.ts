import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { type ApiErrorCode, apiErrorCodes } from '../error-codes.ts'
import { PERSONAL, Words } from '../schema.ts'
import { completeDocument, type DocumentFacts } from './complete-document.ts'

/** Railyard's version. */
export const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

/** The version of the API that the document describes (API §9); it does not follow Railyard's version. */
const INTERFACE_VERSION = '1.0.0'

const detail = Type.Object({
  location: Type.String(),
  type: Type.String(),
  pointer: Type.String(),
  message: Type.String(),
})

/** The body of every error but 422 (API §7.1). */
export const ErrorBody = {
  title: 'Error',
  ...Type.Object({
    type: Type.Literal('error'),
    code: Words(...(Object.keys(apiErrorCodes) as ApiErrorCode[])),
    status: Type.Integer(),
    message: Type.String(),
    details: Type.Array(detail),
    resource_id: Type.Optional(Type.String({ format: 'uuid', description: 'On 409: the existing record' })),
    next_cursor: Type.Optional(
      Type.String({ description: 'On 410: the cursor from which the list can be read' }),
    ),
  }),
}

/** The body of a 422 (API §7.2). */
const ValidationErrorBody = {
  title: 'ValidationError',
  ...Type.Object({
    detail: Type.Array(
      Type.Object({
        loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
        msg: Type.String(),
        type: Type.String(),
        input: Type.Unknown(),
        ctx: Type.Unknown(),
      }),
    ),
  }),
}

/** The error answers that every operation has: description and body, by status. */
const errors: Record<string, [string, object]> = {
  400: ['Data is missing or breaks a rule', ErrorBody],
  401: ['No valid bearer token', ErrorBody],
  403: ['The token may not do this', ErrorBody],
  404: ['Not found, or not visible', ErrorBody],
  405: ['The path does not have this method', ErrorBody],
  409: ['A record exists already, or the same idempotency key is in use', ErrorBody],
  413: ['The body is larger than 1 MiB, or 128 KiB where no bearer is needed', ErrorBody],
  415: ['The body is not application/json', ErrorBody],
  422: ['The shape of the request is wrong', ValidationErrorBody],
  425: ['A previous action is still executing', ErrorBody],
  429: ['Too many requests', ErrorBody],
  500: ['Server error', ErrorBody],
  502: ['Bad gateway', ErrorBody],
  503: ['The database, or a service that the operation needs, cannot be reached now', ErrorBody],
  504: ['Gateway timeout', ErrorBody],
}

/** Serves `/openapi.json`. Call it before the routes are added. */
export async function documentApi(app: FastifyInstance, facts: DocumentFacts): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Railyard',
        version: INTERFACE_VERSION,
        description: `One API in front of many payment services. Amounts are integers in the smallest currency unit: up to 99,999,999, or up to 99,999,999,999 in currencies whose unit is small, such as IDR, VND, COP, KRW and JPY. Served by Railyard ${version}.`,
      },
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'A JWT signed with your private key: `railyard token`',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-railyard_session',
            description:
              'The cookie of a person who signed in (`POST /sessions`); on http://localhost its name is `railyard_session`',
          },
          csrf: {
            type: 'apiKey',
            in: 'header',
            name: 'x-csrf-token',
            description: 'Needed with the cookie on writes; `GET /sessions/current` answers it',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      const { scopes } = route.config ?? {}
      if (schema?.hide || !scopes) return { schema, url }
      const needed = scopes === 'public' ? [] : [...scopes]
      return {
        schema: {
          ...schema,
          security: needed.length > 0 ? [{ bearer: needed }, sessionOn(route.method)] : [],
          'x-scopes': needed,
        },
        url,
      }
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? (completeDocument(withComponents(document.openapiObject), facts) as never)
        : document.swaggerObject,
  })
  // made once: for each request, a client without a token could use up the processor, and each slow reader
  // would hold a copy in memory
  let text: Buffer | undefined
  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { scopes: 'public' } },
    async (_request, reply) => {
      text ??= Buffer.from(JSON.stringify(app.swagger()))
      return reply.type('application/json; charset=utf-8').send(text)
    },
  )
}

/** What a person's session needs: a write needs the header, too. */
const sessionOn = (method: string | string[]) =>
  [method].flat().every((each) => each === 'GET' || each === 'HEAD')
    ? { session: [] }
    : { session: [], csrf: [] }

type Json = { [key: string]: unknown }

/**
 * Moves schemas that have a title to `components/schemas`, and adds the shared error answers to each
 * operation.
 */
function withComponents(document: Json): Json {
  const schemas: Json = {}
  const hoist = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(hoist)
    if (node === null || typeof node !== 'object') return node
    const copy: Json = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, hoist(value)]))
    const { [PERSONAL]: mark, ...shape } = copy
    const { title, type } = shape
    if (typeof title !== 'string' || type === undefined) return copy
    const nullable = Array.isArray(type)
    schemas[title] ??= { ...shape, type: nullable ? type.find((each) => each !== 'null') : type }
    const reference = { $ref: `#/components/schemas/${title}` }
    // the mark belongs to this member, not to the shared component
    const markOfMember = mark === undefined ? {} : { [PERSONAL]: mark }
    return nullable
      ? { anyOf: [reference, { type: 'null' }], ...markOfMember }
      : { ...reference, ...markOfMember }
  }
  const paths = Object.entries(document['paths'] as Record<string, Record<string, Json>>).map(
    ([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [method, hoist(withErrors(operation))]),
      ),
    ],
  )
  const components = document['components'] as Json
  return { ...document, paths: Object.fromEntries(paths), components: { ...components, schemas } }
}

function withErrors(operation: Json): Json {
  const errorAnswers = Object.entries(errors).map(([status, [description, schema]]) => [
    status,
    { description, content: { 'application/json': { schema } } },
  ])
  return {
    ...operation,
    responses: { ...Object.fromEntries(errorAnswers), ...(operation['responses'] as Json) },
  }
}
