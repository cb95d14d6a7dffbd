import type { PaymentService, PaymentServiceHealth } from '@railyard/client'
import { type ReactNode, useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { every } from '../../api/every.ts'
import { useAction, useList, useLoad } from '../../api/use-api.ts'
import { readable } from '../../format/names.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { MoveButtons, moved, useDragging } from '../../parts/lists/sorting.tsx'
import { Empty, ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { ButtonLink } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { paymentServiceWords as words } from '../../words/connections/payment-services.ts'
import { describeHealth, milliseconds } from './describe-health.ts'
import { describeState } from './describe-service.ts'

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('payment-services.write')
  const [params] = useSearchParams()
  const isDeleted = params.get('deleted') === 'true'
  const query = useList(['payment-services', 'list', isDeleted], async (api, _, signal) => ({
    items: await every(api.paymentServices.list({ deleted: isDeleted, limit: 100 }, { signal })),
  }))
  const health = useLoad(
    ['payment-services', 'health'],
    (api, signal) => every(api.paymentServiceHealth.list({ limit: 100 }, { signal })),
    { refresh: 10_000, enabled: !isDeleted },
  )
  const healthOf = useMemo(
    () => new Map(health.data?.map((each) => [each.payment_service_id, each])),
    [health.data],
  )
  const services = query.data?.pages.flatMap(({ items }) => items) ?? []
  const order = useOrder(services)
  const isOrdered = mayWrite && !isDeleted
  const dragging = useDragging(isOrdered && services.length > 1 ? order.move : undefined)
  const home = `/${account}/payment-services`
  return (
    <Layout
      title={words.title}
      actions={
        mayWrite && (
          <ButtonLink look="primary" to={`${home}/new`}>
            {words.connect}
          </ButtonLink>
        )
      }
    >
      <TabLinks
        label={words.views}
        tabs={[
          { text: words.viewConfigured, to: home, current: !isDeleted },
          { text: words.viewDeleted, to: `${home}?deleted=true`, current: isDeleted },
        ]}
      />
      {!isDeleted && <p className="mb-3 text-sm text-ink-3">{words.order}</p>}
      {order.error ? <ErrorNotice error={order.error} /> : null}
      <DataTable
        label={words.title}
        columns={columns(services, healthOf, isOrdered ? order.move : undefined)}
        query={query}
        rowId={({ id }) => id}
        // a deleted service has no page
        {...(!isDeleted && { href: ({ id }: PaymentService) => `${home}/${id}` })}
        rowProps={(_, index) => dragging(index)}
        empty={
          isDeleted ? (
            <Empty title={words.noneDeleted} />
          ) : (
            <Empty title={words.none}>
              <p>{words.noneText}</p>
              {mayWrite && (
                <ButtonLink look="primary" className="mt-3" to={`${home}/new`}>
                  {words.connect}
                </ButtonLink>
              )}
            </Empty>
          )
        }
      />
    </Layout>
  )
}

/** Moves a payment service to another place, by the positions of those whose place changes. */
function useOrder(services: readonly PaymentService[]) {
  const say = useSay()
  const action = useAction({
    run: async (api, { from, to }: { from: number; to: number }) => {
      const after = moved(services, from, to)
      // one after the other: where one fails, those before it have their new place, and the list shows it
      for (const [index, { id, position }] of after.entries())
        if (position !== index + 1) await api.paymentServices.update(id, { position: index + 1 })
      return after[to]?.display_name ?? ''
    },
    onDone: (name, { to }) => say(commonWords.movedTo(name, to + 1)),
    changes: [['payment-services']],
  })
  return {
    error: action.error,
    move: (from: number, to: number) => {
      if (!action.isPending) action.mutate({ from, to })
    },
  }
}

const columns = (
  services: readonly PaymentService[],
  healthOf: ReadonlyMap<string, PaymentServiceHealth>,
  onMove: ((from: number, to: number) => void) | undefined,
): Column<PaymentService>[] => [
  {
    id: 'place',
    header: words.columns.place,
    cell: (service) => {
      const index = services.indexOf(service)
      return (
        <span className="inline-flex items-center gap-1">
          <span className="w-5 text-right text-ink-3">{index + 1}</span>
          {onMove && (
            <MoveButtons name={service.display_name} index={index} count={services.length} onMove={onMove} />
          )}
        </span>
      )
    },
  },
  {
    id: 'name',
    header: words.columns.name,
    cell: ({ id, display_name, is_deleted }) =>
      is_deleted ? (
        display_name
      ) : (
        <Link to={id} className="font-medium" draggable={false}>
          {display_name}
        </Link>
      ),
  },
  {
    id: 'kind',
    header: words.columns.kind,
    wide: true,
    cell: ({ payment_service_definition_id }) => payment_service_definition_id,
  },
  { id: 'method', header: words.columns.method, wide: true, cell: ({ method }) => readable(method) },
  {
    id: 'state',
    header: words.columns.state,
    cell: (service) => {
      const { text, tone } = describeState(service)
      return <Tag tone={tone}>{text}</Tag>
    },
  },
  {
    id: 'health',
    header: words.columns.health,
    cell: ({ id, is_deleted }) => {
      if (is_deleted) return commonWords.none
      const { text, tone } = describeHealth(healthOf.get(id))
      return <Tag tone={tone}>{text}</Tag>
    },
  },
  {
    id: 'answers',
    header: words.columns.answers,
    align: 'end',
    wide: true,
    cell: ({ id }) => milliseconds(healthOf.get(id)?.window.p50_ms) ?? commonWords.none,
  },
  {
    id: 'currencies',
    header: words.columns.currencies,
    wide: true,
    cell: ({ accepted_currencies }) => shortList(accepted_currencies),
  },
  {
    id: 'countries',
    header: words.columns.countries,
    shown: false,
    cell: ({ accepted_countries }) => shortList(accepted_countries),
  },
  {
    id: 'position',
    header: words.columns.position,
    align: 'end',
    shown: false,
    cell: ({ position }) => position,
  },
  {
    id: 'updated',
    header: words.columns.updated,
    align: 'end',
    shown: false,
    cell: ({ updated_at }) => <Time at={updated_at} />,
  },
  { id: 'id', header: words.columns.id, shown: false, cell: ({ id }) => <CopyText text={id} short /> },
]

const shortList = (codes: readonly string[]): string =>
  codes.length > 4
    ? `${codes.slice(0, 3).join(', ')} ${commonWords.andMore(codes.length - 3)}`
    : codes.join(', ')
