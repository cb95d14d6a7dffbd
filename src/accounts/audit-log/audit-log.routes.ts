import { Type } from 'typebox'
import { merchantAccountHeader as headers } from '../../api/headers.ts'
import { answerPage } from '../../api/pagination.ts'
import type { Routes } from '../../api/routes.ts'
import { Described, Nullable, pageQuery, Uuid } from '../../api/schema.ts'
import { readFromReplica } from '../../database/replicas/read-from-replica.ts'
import { AuditLogAction, AuditLogEntries } from './audit-log.schema.ts'
import { cursorOfAuditEntry, listAuditEntries, showAuditEntry } from './audit-log.store.ts'

const querystring = Type.Object({
  ...pageQuery(),
  action: Type.Optional(Nullable(AuditLogAction)),
  user_id: Type.Optional(Described(Nullable(Uuid), 'Changes by this person or API key pair')),
  resource_type: Type.Optional(
    Described(Nullable(Type.String()), 'Changes of this kind of resource, exactly as entries name it'),
  ),
})

export const auditLogRoutes: Routes = (app, world) => {
  app.get(
    '/audit-logs',
    {
      config: { scopes: ['audit-logs.read'] },
      schema: {
        operationId: 'list_audit_logs',
        summary: 'List audit log entries',
        description:
          'Who changed what in this merchant account, the newest first. Changes to the whole instance, such as those of API key pairs, are in the log of `default`.',
        tags: ['Audit logs'],
        headers,
        querystring,
        response: { 200: AuditLogEntries },
      },
    },
    async ({ account, query }) => {
      const filter = {
        action: query.action ?? null,
        userId: query.user_id ?? null,
        resourceType: query.resource_type ?? null,
      }
      const list = `audit-logs\n${JSON.stringify([account, filter])}`
      return answerPage(world.cipher, list, query, {
        read: (page) => readFromReplica(world, (replica) => listAuditEntries(replica, account, filter, page)),
        positionOf: cursorOfAuditEntry,
        show: showAuditEntry,
      })
    },
  )
}
