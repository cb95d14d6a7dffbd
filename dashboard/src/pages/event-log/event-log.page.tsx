import type { EventBody } from '@railyard/client'
import { type ReactNode, useCallback, useState } from 'react'
import { Link } from 'react-router'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { type Filter, FilterBar, useFilters } from '../../parts/lists/filters.tsx'
import { Empty, ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout, Skeleton } from '../../parts/page/layout.tsx'
import { CopyText, Json, Time } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { eventLogWords as words } from '../../words/developers/event-log.ts'
import { eventNames } from '../../words/developers/event-names.ts'
import { resourcePath } from './resource-path.ts'
import { SHOWN, useEventFeed } from './use-event-feed.ts'

const types = [...new Set(eventNames.map((name) => name.slice(0, name.lastIndexOf('.'))))]

const filters: Filter[] = [
  { name: 'name', label: words.event, options: eventNames.map((name) => [name, name]) },
  { name: 'resource_type', label: words.resourceType, options: types.map((type) => [type, type]) },
  { name: 'resource_id', label: words.resourceId },
]

export function Page(): ReactNode {
  const [{ name, resource_type, resource_id }] = useFilters(filters)
  const matches = useCallback(
    (event: EventBody) =>
      (!name || event.name === name) &&
      (!resource_type || event.name.startsWith(`${resource_type}.`)) &&
      (!resource_id || event.target.id === resource_id),
    [name, resource_type, resource_id],
  )
  const [feed, readOn] = useEventFeed(matches)
  const [opened, setOpened] = useState<EventBody>()
  const { events, count, state, error } = feed
  return (
    <Layout title={words.title}>
      <p className="mb-3 text-sm text-ink-2">{words.text}</p>
      <FilterBar filters={filters}>
        <span role="status">
          {state === 'reading' && words.reading(count)}
          {state === 'live' && words.live(count)}
          {events.length >= SHOWN && ` ${words.oldest(SHOWN)}`}
        </span>
      </FilterBar>
      {error ? (
        <div className="mb-3">
          <ErrorNotice error={error} onRetry={readOn} />
        </div>
      ) : (
        state === 'paused' && (
          <p className="mb-3 flex flex-wrap items-center gap-3 rounded-md bg-info-soft px-4 py-2.5 text-sm text-info">
            {words.more(count)} <Button onClick={readOn}>{words.readOn}</Button>
          </p>
        )
      )}
      <div className="relative overflow-x-auto rounded-lg border border-line bg-surface">
        {events.length > 0 && <EventTable events={events} onOpen={setOpened} />}
        {events.length === 0 &&
          (state === 'reading' ? (
            <div className="p-4">
              <Skeleton lines={6} />
            </div>
          ) : count > 0 ? (
            <Empty title={words.noneFound}>{words.noneFoundText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          ))}
      </div>
      {opened && <EventDialog event={opened} onClose={() => setOpened(undefined)} />}
    </Layout>
  )
}

const cell = 'h-(--row) max-w-80 truncate border-b border-line px-3 whitespace-nowrap'
const head = 'h-8 border-b border-line bg-sunken px-3 text-left text-xs font-medium text-ink-3'

const EventTable = ({
  events,
  onOpen,
}: {
  events: readonly EventBody[]
  onOpen: (event: EventBody) => void
}): ReactNode => (
  <table className="w-full border-separate border-spacing-0">
    <caption className="sr-only">{words.title}</caption>
    <thead>
      <tr>
        <th scope="col" className={head}>
          {words.event}
        </th>
        <th scope="col" className={head}>
          {words.resource}
        </th>
        <th scope="col" className={`${head} text-right! max-md:hidden`}>
          {words.sequence}
        </th>
        <th scope="col" className={`${head} text-right!`}>
          {words.when}
        </th>
      </tr>
    </thead>
    <tbody>
      {events.map((event) => (
        <tr key={event.id} className="hover:bg-sunken [&:last-child>td]:border-b-0">
          <td className={cell}>
            <button type="button" className="font-medium" onClick={() => onOpen(event)}>
              {event.name}
            </button>
          </td>
          <td className={cell}>
            <Resource event={event} />
          </td>
          <td className={`${cell} text-right text-ink-3 max-md:hidden`}>{event.sequence}</td>
          <td className={`${cell} text-right text-ink-3`}>
            <Time at={event.created_at} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

function Resource({ event: { target } }: { event: EventBody }): ReactNode {
  const { account } = useSignedIn()
  const path = resourcePath(target)
  const id = <span className="font-mono text-sm">{target.id}</span>
  return path ? (
    <Link className="underline" to={`/${account}/${path}`}>
      {id}
    </Link>
  ) : (
    id
  )
}

function EventDialog({ event, onClose }: { event: EventBody; onClose: () => void }): ReactNode {
  const { account } = useSignedIn()
  const path = resourcePath(event.target)
  return (
    <Dialog open wide onClose={onClose} title={event.name} text={<Time at={event.created_at} form="both" />}>
      <div className="mt-3 grid gap-3">
        <CopyText text={event.id} />
        {path && (
          <Link className="text-sm underline" to={`/${account}/${path}`}>
            {words.open}
          </Link>
        )}
        <h3 className="text-sm font-medium">{words.payload}</h3>
        <Json value={event} />
      </div>
    </Dialog>
  )
}
