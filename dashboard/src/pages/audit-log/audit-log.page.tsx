import type { AuditLogEntry, ListAuditLogsQuery } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { every } from '../../api/every.ts'
import { useList, useLoad } from '../../api/use-api.ts'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar, useFilters } from '../../parts/lists/filters.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { auditLogWords as words } from '../../words/settings/audit-log.ts'
import { resourcePath } from '../event-log/resource-path.ts'
import { ChainState } from './chain-state.tsx'

const actions: Record<string, string | undefined> = words.actions

const filtersOf = (people: readonly (readonly [string, string])[]): Filter[] => [
  { name: 'action', label: words.filters.action, options: Object.entries(words.actions) },
  people.length > 0
    ? { name: 'user_id', label: words.filters.user_id, options: people }
    : { name: 'user_id', label: words.filters.user_id, hint: words.filters.userHint },
  {
    name: 'resource_type',
    label: words.filters.resource_type,
    options: words.types.map((type) => [type, type]),
  },
]

/** Who may have changed something: people, and the key pairs of programs. */
function useActors(): readonly (readonly [string, string])[] {
  const people = useLoad(
    ['users', 'names'],
    (api, signal) => every(api.users.list({ limit: 100 }, { signal })),
    { enabled: useMay('users.read') },
  )
  const pairs = useLoad(
    ['api-key-pairs', 'names'],
    (api, signal) => every(api.apiKeyPairs.list({ limit: 100 }, { signal })),
    { enabled: useMay('api-key-pairs.read') },
  )
  return [
    ...(people.data ?? []).map(({ id, name, email_address }) => [id, `${name} (${email_address})`] as const),
    ...(pairs.data ?? []).map(({ id, display_name }) => [id, display_name] as const),
  ]
}

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const filters = filtersOf(useActors())
  const [{ action, user_id, resource_type }] = useFilters(filters)
  const [opened, setOpened] = useState<AuditLogEntry>()
  const filter = { action: action as ListAuditLogsQuery['action'], user_id, resource_type }
  const query = useList(
    ['audit-logs', 'list', filter],
    (api, cursor, signal) => api.auditLogs.list({ ...filter, cursor, limit: 50 }, { signal }).page(),
    { refresh: 10_000 },
  )
  const columns: Column<AuditLogEntry>[] = [
    {
      id: 'when',
      header: words.columns.when,
      cell: ({ timestamp }) => (
        <span className="text-ink-3">
          <Time at={timestamp} />
        </span>
      ),
    },
    {
      id: 'who',
      header: words.columns.who,
      cell: ({ user }) => <span title={user.email_address ?? user.id}>{user.name}</span>,
    },
    { id: 'action', header: words.columns.action, cell: ({ action: done }) => actions[done] ?? done },
    { id: 'type', header: words.columns.type, cell: ({ resource }) => resource.type },
    {
      id: 'resource',
      header: words.columns.resource,
      cell: ({ resource }) => {
        const path = resourcePath(resource)
        return path ? (
          <Link className="underline" to={`/${account}/${path}`}>
            {resource.name}
          </Link>
        ) : (
          resource.name
        )
      },
    },
    {
      id: 'changes',
      header: words.columns.changes,
      cell: (entry) => {
        const count = membersOf(entry).length
        return (
          count > 0 && (
            <button type="button" className="underline" onClick={() => setOpened(entry)}>
              {words.show(count)}
            </button>
          )
        )
      },
    },
  ]
  return (
    <Layout title={words.title}>
      <p className="mb-3 text-sm text-ink-2">{words.text}</p>
      <ChainState />
      <FilterBar filters={filters} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        empty={<Empty title={(action ?? user_id ?? resource_type) ? words.noneFound : words.none} />}
      />
      {opened && <ChangesDialog entry={opened} onClose={() => setOpened(undefined)} />}
    </Layout>
  )
}

const membersOf = ({ changes }: AuditLogEntry): string[] =>
  changes ? [...new Set([...Object.keys(changes.before), ...Object.keys(changes.after)])] : []

/** What was changed, before and after. */
function ChangesDialog({ entry, onClose }: { entry: AuditLogEntry; onClose: () => void }): ReactNode {
  const { changes, user, resource, action, timestamp } = entry
  const cell = 'border-t border-line py-1.5 pr-3 align-top break-words'
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={words.changesTitle}
      text={
        <>
          {user.name} · {actions[action] ?? action} · {resource.type} {resource.name} ·{' '}
          <Time at={timestamp} form="both" />
        </>
      }
    >
      <div className="mt-3 grid gap-3">
        <table className="w-full table-fixed text-left text-sm">
          <caption className="sr-only">{words.changesTitle}</caption>
          <thead className="text-xs text-ink-3">
            <tr>
              <th scope="col" className="pb-1 font-medium">
                {words.member}
              </th>
              <th scope="col" className="pb-1 font-medium">
                {words.before}
              </th>
              <th scope="col" className="pb-1 font-medium">
                {words.after}
              </th>
            </tr>
          </thead>
          <tbody>
            {membersOf(entry).map((member) => (
              <tr key={member}>
                <td className={`${cell} text-ink-2`}>{member.replaceAll('_', ' ')}</td>
                <td className={cell}>{changes?.before[member] ?? commonWords.none}</td>
                <td className={`${cell} font-medium`}>{changes?.after[member] ?? commonWords.none}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className="text-sm text-ink-3">
          {words.id} <CopyText text={resource.id} />
        </p>
      </div>
    </Dialog>
  )
}
