import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Timestamp, Uuid, Words } from '../../api/schema.ts'

export const AuditLogAction = Words('created', 'updated', 'deleted', 'voided', 'canceled', 'captured')

const AuditLogEntryResource = Closed('AuditLogEntryResource', {
  type: Type.String(),
  id: Type.String(),
  name: Described(Type.String(), 'Its name at the time of the change; its id if it has no name'),
})

const AuditLogEntryUser = Closed('AuditLogEntryUser', {
  type: Type.Literal('user'),
  id: Described(Uuid, 'The id of the person or of the API key pair'),
  name: Type.String(),
  email_address: Nullable(Type.String()),
  is_staff: Type.Boolean(),
  status: Words('active', 'pending', 'deleted'),
})

const Values = Type.Record(Type.String(), Nullable(Type.Union([Type.String(), Type.Integer()])))

/**
 * An addition to the contract: the values before and after a correction of a payment's amounts or status, and
 * a change of a person or their sign-in.
 */
const AuditLogEntryChanges = Closed('AuditLogEntryChanges', { before: Values, after: Values })

/** API §2.9, semantics §16.4. */
export const AuditLogEntry = Closed('AuditLogEntry', {
  type: Type.Literal('audit-log'),
  id: Uuid,
  merchant_account_id: Type.String(),
  resource: AuditLogEntryResource,
  action: AuditLogAction,
  user: AuditLogEntryUser,
  timestamp: Timestamp,
  changes: Type.Optional(AuditLogEntryChanges),
  proposal_id: Type.Optional(Described(Uuid, 'The approved proposal whose execution made the change')),
})
export type AuditLogEntry = Static<typeof AuditLogEntry>

export const AuditLogEntries = Page('AuditLogEntries', AuditLogEntry)
