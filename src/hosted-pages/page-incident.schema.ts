import { type Static, Type } from 'typebox'
import { Closed, Described, Nullable, Page, Text, Timestamp, Uuid, Words } from '../api/schema.ts'
import { hostedPageNames } from '../page/hosted-page.ts'

export const pageIncidentKinds = [
  'script',
  'style',
  'connection',
  'form',
  'frame',
  'resource',
  'base',
  'embedding',
  'integrity',
  'changed',
] as const
export type PageIncidentKind = (typeof pageIncidentKinds)[number]

const HostedPage = Described(Words(...hostedPageNames), 'The page of Railyard')

export const HostedPageScript = Closed('HostedPageScript', {
  type: Type.Literal('hosted-page-script'),
  page: HostedPage,
  url: Nullable(Described(Type.String(), 'Where the script is loaded from; null: it is within the page')),
  integrity: Nullable(
    Described(
      Type.String(),
      'The hash of the script, as the page’s policy and its `integrity` attribute have it. Null: the script is not Railyard’s, and its owner changes it; the policy has its URL',
    ),
  ),
  size: Nullable(Described(Type.Integer(), 'In bytes')),
  purpose: Described(Type.String(), 'Why the page needs it'),
})
export type HostedPageScript = Static<typeof HostedPageScript>

export const HostedPageScripts = Type.Object(
  { items: Type.Array(HostedPageScript) },
  { title: 'HostedPageScripts' },
)

export const PageIncident = Closed('PageIncident', {
  type: Type.Literal('hosted-page.incident'),
  id: Uuid,
  merchant_account_id: Type.String(),
  page: HostedPage,
  kind: Described(
    Words(...pageIncidentKinds),
    'What browsers have blocked on the page. `integrity`: a script was not the one of the inventory. `embedding`: another site has tried to show the page in a frame. `changed`: the page that Railyard gets from PUBLIC_URL is not the one that it has sent',
  ),
  subject: Described(
    Type.String(),
    'The origin that was blocked, or a keyword such as `inline`; for `changed`, the part of the answer that differs',
  ),
  reports: Described(Type.Integer(), 'How often it was reported'),
  last_reported_at: Timestamp,
  notes: Nullable(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  closed_at: Nullable(Described(Timestamp, 'Null: it is open')),
})
export type PageIncident = Static<typeof PageIncident>

export const PageIncidents = Page('PageIncidents', PageIncident)

/** Omitted members stay as they are. */
export const PageIncidentUpdate = Closed('PageIncidentUpdate', {
  notes: Type.Optional(Nullable(Described(Text(1, 1000), 'Null clears them'))),
  closed: Type.Optional(
    Described(
      Type.Literal(true),
      'Closes the incident. If the same is reported again, a new incident is opened',
    ),
  ),
})
export type PageIncidentUpdate = Static<typeof PageIncidentUpdate>
