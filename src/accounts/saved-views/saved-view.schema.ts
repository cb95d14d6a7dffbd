import { type Static, Type } from 'typebox'
import { Closed, Described, Text, Timestamp, Uuid, Words } from '../../api/schema.ts'

const fields = {
  list: Words(
    'payments',
    'refunds',
    'disputes',
    'payouts',
    'payment-links',
    'buyers',
    'settlements',
    'unmatched-report-lines',
    'webhook-deliveries',
    'events',
    'audit-logs',
  ),
  name: Described(Text(1, 100), 'The name that people see'),
  query: Described(
    Type.String({ maxLength: 2_000, pattern: '^[!-~]*$' }),
    'The query of the list’s URL, without `?`; no filter by a person’s data',
  ),
  columns: Described(
    Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_.]{0,63}$' }), { maxItems: 50, uniqueItems: true }),
    'The columns that the list shows, in order; empty: the usual ones',
  ),
  shared: Described(
    Type.Boolean(),
    'Whether everyone of the merchant account sees it; false: its owner alone, who is a person',
  ),
}

export const SavedView = Closed('SavedView', {
  type: Type.Literal('saved-view'),
  id: Uuid,
  merchant_account_id: Type.String(),
  ...fields,
  owner: Described(
    Closed('SavedViewOwner', {
      type: Words('user', 'api-key-pair'),
      id: Uuid,
      name: Described(Type.String(), 'The name when the view was made'),
    }),
    'Who made it',
  ),
  can_change: Described(
    Type.Boolean(),
    'Whether the caller may change and delete it: its owner, and of a shared one an administrator, too',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type SavedView = Static<typeof SavedView>

export const SavedViews = Closed('SavedViews', { items: Type.Array(SavedView) })

export const SavedViewCreate = Closed('SavedViewCreate', {
  list: fields.list,
  name: fields.name,
  query: fields.query,
  columns: Type.Optional(fields.columns),
  shared: Type.Optional(fields.shared),
})
export type SavedViewCreate = Static<typeof SavedViewCreate>

export const SavedViewUpdate = Closed('SavedViewUpdate', {
  name: Type.Optional(fields.name),
  query: Type.Optional(fields.query),
  columns: Type.Optional(fields.columns),
  shared: Type.Optional(fields.shared),
})
export type SavedViewUpdate = Static<typeof SavedViewUpdate>
