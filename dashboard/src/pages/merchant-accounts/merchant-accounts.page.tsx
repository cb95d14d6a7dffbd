import type { MerchantAccount } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction, useList } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { SearchBox } from '../../parts/lists/search-box.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { CopyText, QuietTime } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { merchantAccountWords as words } from '../../words/settings/merchant-accounts.ts'

const columns: Column<MerchantAccount>[] = [
  {
    id: 'name',
    header: words.columns.name,
    cell: ({ id, display_name }) => (
      <Link to={id} className="font-medium">
        {display_name}
      </Link>
    ),
  },
  { id: 'id', header: words.columns.id, cell: ({ id }) => <CopyText text={id} short /> },
  {
    id: 'created',
    header: words.columns.created,
    align: 'end',
    wide: true,
    cell: ({ created_at }) => <QuietTime at={created_at} />,
  },
  {
    id: 'updated',
    header: words.columns.updated,
    align: 'end',
    wide: true,
    cell: ({ updated_at }) => <QuietTime at={updated_at} />,
  },
]

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('merchant-accounts.write')
  const dialog = useDialog()
  const [params] = useSearchParams()
  const search = params.get('search')
  const query = useList(['merchant-accounts', 'list', search], (api, cursor, signal) =>
    api.merchantAccounts.list({ search, cursor, limit: 50 }, { signal }).page(),
  )
  return (
    <Layout
      title={words.title}
      actions={
        <>
          <SearchBox placeholder={words.searchHint} />
          {mayWrite && (
            <Button look="primary" onClick={() => dialog.open(true)}>
              {words.create}
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
        href={({ id }) => `/${account}/merchant-accounts/${id}`}
        empty={<Empty title={search ? words.noneFound : words.none} />}
      />
      {dialog.about && <CreateDialog onClose={dialog.close} />}
    </Layout>
  )
}

function CreateDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { account, reload } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const [name, setName] = useState('')
  const [id, setId] = useState('')
  const create = useAction({
    run: (api) => api.merchantAccounts.create({ id: id.trim(), display_name: name.trim() }),
    onDone: (created) => {
      say(words.created)
      onClose()
      navigate(`/${account}/merchant-accounts/${created.id}`)
      // the choice of accounts has one more
      void reload()
    },
    changes: [['merchant-accounts']],
  })
  const problems = problemsOf(create.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.create}
      text={words.createText}
      submit={commonWords.create}
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label={words.columns.name}
        value={name}
        onChange={setName}
        problem={problems['/display_name']}
      />
      <TextField
        label={words.columns.id}
        hint={words.idHint}
        value={id}
        onChange={setId}
        problem={problems['/id']}
      />
    </FormDialog>
  )
}
