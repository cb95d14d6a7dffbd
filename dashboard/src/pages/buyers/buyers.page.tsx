import type { Buyer } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { filterQuery } from '../../api/filter-query.ts'
import { useList } from '../../api/use-api.ts'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { type Filter, FilterBar } from '../../parts/lists/filters.tsx'
import { SearchBox } from '../../parts/lists/search-box.tsx'
import { Empty, Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { memberWords as members } from '../../words/members.ts'
import { buyerWords as words } from '../../words/payments/buyers.ts'
import { BuyerDialog } from './buyer-dialog.tsx'
import { buyerName } from './buyer-name.ts'

const filters: Filter[] = [{ name: 'external_identifier', label: members.reference }]

const columns: Column<Buyer>[] = [
  { id: 'name', header: words.columns.name, cell: (buyer) => <Link to={buyer.id}>{buyerName(buyer)}</Link> },
  {
    id: 'reference',
    header: words.columns.reference,
    cell: ({ external_identifier }) => <code className="font-mono text-sm">{external_identifier}</code>,
  },
  {
    id: 'email',
    header: words.columns.email,
    wide: true,
    cell: ({ billing_details }) => billing_details?.email_address,
  },
  { id: 'id', header: words.columns.id, shown: false, cell: ({ id }) => <CopyText text={id} short /> },
  {
    id: 'created',
    header: words.columns.created,
    align: 'end',
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
]

export function Page(): ReactNode {
  const { account, may } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const dialog = useDialog()
  const [params] = useSearchParams()
  const filter = filterQuery(params, [...filters, { name: 'search' }])
  const query = useList(['buyers', 'list', filter], (api, cursor, signal) =>
    api.buyers.list({ ...filter, cursor, limit: 50 }, { signal }).page(),
  )
  return (
    <Layout
      title={words.title}
      actions={
        <>
          <SearchBox placeholder={words.searchHint} />
          {may('buyers.write') && (
            <Button look="primary" onClick={() => dialog.open(true)}>
              {words.create}
            </Button>
          )}
        </>
      }
    >
      {!may('buyers.billing-details.read') && (
        <div className="mb-3">
          <Notice>{words.hidden}</Notice>
        </div>
      )}
      <FilterBar filters={filters} />
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/buyers/${id}`}
        empty={
          Object.keys(filter).length > 0 ? (
            <Empty title={members.noneFound}>{members.noneFoundText}</Empty>
          ) : (
            <Empty title={words.none}>{words.noneText}</Empty>
          )
        }
      />
      {dialog.about && (
        <BuyerDialog
          onClose={dialog.close}
          onDone={({ id }) => {
            say(words.created)
            navigate(`/${account}/buyers/${id}`)
          }}
        />
      )}
    </Layout>
  )
}
