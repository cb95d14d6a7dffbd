import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify'
import type { World } from '../world.ts'

/** A server whose handlers have the static types of their schemas. */
export type App = FastifyInstance<RawServerDefault, RawRequestDefaultExpression, RawReplyDefaultExpression, FastifyBaseLogger, TypeBoxTypeProvider>

/** The routes of one resource: what every `*.routes.ts` exports and `server.ts` assembles. */
export type Routes = (app: App, world: World) => void
