import { Type } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Described, pageQuery, Uuid } from '../../api/schema.ts'
import { newestFirstPosition } from '../../database/rows/newest-first.ts'
import { timestamp } from '../../database/timestamp.ts'
import { type OwnSession, OwnSessions } from './session.schema.ts'
import { endSession, listSessions } from './session.store.ts'
import { requireSession } from './session.ts'
import { clearSessionCookie } from './session-cookie.ts'

const tags = ['Users']

/** The sessions of the person who is signed in; 403 for key pairs. */
export const ownSessionRoutes: Routes = (app, world) => {
  app.get(
    '/users/me/sessions',
    {
      config: { scopes: ['users.me.read'], merchantScoped: false },
      schema: {
        operationId: 'list_own_sessions',
        summary: 'List your sessions',
        description:
          'Where you are signed in, the newest session first. Sessions that have ended are not shown.',
        tags,
        querystring: Type.Object(pageQuery()),
        response: { 200: OwnSessions },
      },
    },
    async ({ query, caller }) => {
      const current = requireSession(caller).id
      const { id } = caller.actor
      return answerPage(world.cipher, JSON.stringify(['sessions', id]), query, {
        read: (page) => listSessions(world, id, page),
        positionOf: newestFirstPosition,
        show: (row) => showOwnSession(row, current),
      })
    },
  )

  app.delete(
    '/users/me/sessions/:session_id',
    {
      config: { scopes: ['users.me.write'], merchantScoped: false },
      schema: {
        operationId: 'delete_own_session',
        summary: 'End one of your sessions',
        description:
          'Its cookie opens nothing from then on, in every process. Of this session it is a sign-out.',
        tags,
        params: Type.Object({ session_id: Described(Uuid, 'The id of one of your sessions') }),
        response: { 204: Type.Null() },
      },
    },
    async ({ caller, params }, reply) => {
      const current = requireSession(caller).id
      if (!(await endSession(world, caller.actor.id, params.session_id))) throw notFound()
      if (params.session_id === current) clearSessionCookie(world.publicUrl, reply)
      return reply.code(204).send(null)
    },
  )
}

const showOwnSession = (
  row: Awaited<ReturnType<typeof listSessions>>[number],
  currentSession: string,
): OwnSession => ({
  type: 'own-session',
  id: row.id,
  is_current: row.id === currentSession,
  method: row.method,
  ip_address: row.ip_address,
  user_agent: row.user_agent,
  created_at: timestamp(row.created_at),
  last_seen_at: timestamp(row.last_seen_at),
  expires_at: timestamp(row.expires_at),
})
