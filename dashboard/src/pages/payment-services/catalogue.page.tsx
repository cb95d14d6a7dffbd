import type { PaymentServiceDefinition } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { every } from '../../api/every.ts'
import { useList } from '../../api/use-api.ts'
import { nameCountry, nameCurrency, readable } from '../../format/names.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { FilterBar } from '../../parts/lists/filters.tsx'
import { SearchBox } from '../../parts/lists/search-box.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { paymentServiceWords } from '../../words/connections/payment-services.ts'
import { describeFeatures, isSimulator } from './describe-service.ts'

const words = paymentServiceWords.catalogue

const columns: Column<PaymentServiceDefinition>[] = [
  {
    id: 'name',
    header: words.columns.name,
    cell: (definition) => (
      <>
        <Link to={definition.id} className="font-medium">
          {definition.display_name}
        </Link>{' '}
        {isSimulator(definition) && <Tag>{words.simulator}</Tag>}
      </>
    ),
  },
  { id: 'method', header: words.columns.method, cell: ({ method }) => readable(method) },
  {
    id: 'can',
    header: words.columns.can,
    wide: true,
    cell: (definition) => {
      const text = describeFeatures(definition)
        .map((each) => each.text)
        .join(', ')
      return (
        <span title={text} className="text-sm text-ink-2">
          {text}
        </span>
      )
    },
  },
  {
    id: 'currencies',
    header: words.columns.currencies,
    align: 'end',
    wide: true,
    cell: ({ supported_currencies }) => supported_currencies.length,
  },
  {
    id: 'countries',
    header: words.columns.countries,
    align: 'end',
    wide: true,
    cell: ({ supported_countries }) => supported_countries.length,
  },
  {
    id: 'id',
    header: words.columns.id,
    shown: false,
    cell: ({ id }) => <code className="font-mono text-sm">{id}</code>,
  },
]

/** Whether a definition has what a person searches for: a code matches as a whole, a name by a part. */
function matches(definition: PaymentServiceDefinition, search: string): boolean {
  if (!search) return true
  const { id, display_name, method, supported_currencies, supported_countries } = definition
  const wanted = search.toLowerCase()
  if (`${id} ${display_name} ${readable(method)}`.toLowerCase().includes(wanted)) return true
  const codes = [...supported_currencies, ...supported_countries]
  if (codes.includes(search.toUpperCase())) return true
  return (
    wanted.length > 3 &&
    [...supported_countries.map(nameCountry), ...supported_currencies.map(nameCurrency)].some((name) =>
      name.toLowerCase().includes(wanted),
    )
  )
}

/** What can be connected. */
export function Page(): ReactNode {
  const { account } = useSignedIn()
  const [params] = useSearchParams()
  const search = params.get('search') ?? ''
  const method = params.get('method')
  const all = useList(['payment-service-definitions', 'list'], async (api, _, signal) => ({
    items: await every(api.paymentServiceDefinitions.list({ limit: 100 }, { signal })),
  }))
  const definitions = all.data?.pages.flatMap(({ items }) => items) ?? []
  const found = definitions
    .filter((each) => (!method || each.method === method) && matches(each, search))
    // what takes real payments comes first
    .toSorted((one, other) => Number(isSimulator(one)) - Number(isSimulator(other)))
  const methods = [...new Set(definitions.map((each) => each.method))].toSorted()
  const query = all.data ? { ...all, data: { ...all.data, pages: [{ items: found }] } } : all
  return (
    <Layout
      title={words.choose}
      above={[{ text: paymentServiceWords.title, to: `/${account}/payment-services` }]}
      actions={<SearchBox placeholder={words.searchHint} />}
    >
      <FilterBar
        filters={[
          {
            name: 'method',
            label: words.columns.method,
            options: methods.map((each) => [each, readable(each)]),
          },
        ]}
      />
      <DataTable
        label={words.title}
        columns={columns}
        query={query as typeof all}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/payment-services/new/${encodeURIComponent(id)}`}
        empty={<Empty title={words.noneFound}>{words.noneFoundText}</Empty>}
      />
    </Layout>
  )
}
