import type { InvitedUser, User } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { SearchBox } from '../../parts/lists/search-box.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { QuietTime } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { peopleWords as words } from '../../words/settings/people.ts'
import { InvitationLink } from './invitation-link.tsx'
import { PersonForm } from './person-form.tsx'
import { AccountNames, PersonState } from './person-state.tsx'

const columns: Column<User>[] = [
  {
    id: 'name',
    header: words.columns.name,
    cell: ({ id, name }) => (
      <Link to={id} className="font-medium">
        {name}
      </Link>
    ),
  },
  { id: 'email', header: words.columns.email, cell: ({ email_address }) => email_address },
  { id: 'state', header: words.columns.state, cell: (user) => <PersonState of={user} /> },
  {
    id: 'roles',
    header: words.columns.roles,
    wide: true,
    cell: ({ roles }) => roles.map(({ name }) => name).join(', '),
  },
  {
    id: 'accounts',
    header: words.columns.accounts,
    wide: true,
    cell: ({ merchant_account_ids }) => <AccountNames ids={merchant_account_ids} />,
  },
  {
    id: 'secondFactor',
    header: words.columns.secondFactor,
    wide: true,
    cell: ({ totp_enabled }) => (totp_enabled ? words.on : words.off),
  },
  {
    id: 'created',
    header: words.columns.created,
    align: 'end',
    shown: false,
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('users.write')
  const form = useDialog()
  const [invited, setInvited] = useState<InvitedUser>()
  const [params] = useSearchParams()
  const search = params.get('search')
  const query = useList(['users', 'list', search], (api, cursor, signal) =>
    api.users.list({ search, cursor, limit: 50 }, { signal }).page(),
  )
  return (
    <Layout
      title={words.title}
      actions={
        <>
          <SearchBox placeholder={words.searchHint} />
          {mayWrite && (
            <Button look="primary" onClick={() => form.open(true)}>
              {words.invite}
            </Button>
          )}
        </>
      }
    >
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={({ id }) => `/${account}/people/${id}`}
        empty={<Empty title={search ? words.noneFound : words.none}>{!search && words.noneText}</Empty>}
      />
      {form.about && (
        <PersonForm
          onClose={form.close}
          onInvited={(person) => {
            form.close()
            setInvited(person)
          }}
        />
      )}
      {invited && <InvitationLink of={invited} onClose={() => setInvited(undefined)} />}
    </Layout>
  )
}
