import type { SavedViewCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { useMay } from '../../session/signed-in.ts'
import { savedViewWords as words } from '../../words/saved-views.ts'
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../dialogs/dialog.tsx'
import { CheckField, TextField } from '../forms/field.tsx'
import { ErrorNotice } from '../messages/notice.tsx'
import { useSay } from '../messages/toast.tsx'
import { Button } from '../page/button.tsx'
import { TabLinks } from '../page/tabs.tsx'

/** The views of a list as tabs: those that every account has, and those that people have saved. */
export function ListViews({
  list,
  builtIn,
}: {
  list: SavedViewCreate['list']
  /** Names and queries without `?`; the first is the list without a filter. */
  builtIn: readonly (readonly [name: string, query: string])[]
}): ReactNode {
  const { pathname } = useLocation()
  const [params] = useSearchParams()
  const current = params.toString()
  const maySee = useMay('saved-views.read')
  const maySave = useMay('saved-views.write')
  const saved = useLoad(
    ['saved-views', list],
    async (api, signal) =>
      (await api.savedViews.list({ signal }).page()).items.filter((view) => view.list === list),
    { enabled: maySee },
  )
  const dialog = useDialog<'save' | 'delete'>()
  const say = useSay()
  const share = useAction({
    run: (api, { id, shared }: { id: string; shared: boolean }) => api.savedViews.update(id, { shared }),
    onDone: ({ shared }) => say(shared ? words.isShared : words.isPrivate),
    changes: [['saved-views']],
  })
  const views = saved.data ?? []
  const shown = views.find(({ query }) => query === current)
  const isNew = current !== '' && !shown && !builtIn.some(([, query]) => query === current)
  return (
    <TabLinks
      label={words.views}
      tabs={[...builtIn.map(([name, query]) => ({ name, query })), ...views].map(({ name, query }) => ({
        text: name,
        to: query ? `${pathname}?${query}` : pathname,
        current: query === current,
      }))}
    >
      {isNew && maySave && (
        <Button look="quiet" onClick={() => dialog.open('save')}>
          {words.save}
        </Button>
      )}
      {shown?.can_change && (
        <>
          <Button
            look="quiet"
            busy={share.isPending}
            onClick={() => share.mutate({ id: shown.id, shared: !shown.shared })}
          >
            {shown.shared ? words.unshare : words.shareIt}
          </Button>
          <Button look="quiet" onClick={() => dialog.open('delete')}>
            {words.delete}
          </Button>
        </>
      )}
      {share.error && <ErrorNotice error={share.error} />}
      {saved.error && <ErrorNotice error={saved.error} onRetry={() => void saved.refetch()} />}
      {dialog.about === 'save' && <SaveDialog list={list} query={current} onClose={dialog.close} />}
      {dialog.about === 'delete' && shown && (
        <ConfirmDialog
          danger
          title={words.delete}
          text={shown.shared ? words.deleteShared(shown.name) : words.deleteText(shown.name)}
          done={words.deleted}
          run={(api) => api.savedViews.delete(shown.id)}
          changes={[['saved-views']]}
          onClose={dialog.close}
        />
      )}
    </TabLinks>
  )
}

function SaveDialog({
  list,
  query,
  onClose,
}: {
  list: SavedViewCreate['list']
  query: string
  onClose: () => void
}): ReactNode {
  const [name, setName] = useState('')
  const [isShared, setShared] = useState(false)
  const [wasSent, setSent] = useState(false)
  const say = useSay()
  const save = useAction({
    run: (api, body: SavedViewCreate) => api.savedViews.create(body),
    onDone: () => {
      say(words.saved)
      onClose()
    },
    changes: [['saved-views']],
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.saveTitle}
      text={words.saveText}
      submit={words.save}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => {
        setSent(true)
        if (name.trim()) save.mutate({ list, query, name: name.trim(), shared: isShared })
      }}
    >
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        maxLength={100}
        problem={wasSent && !name.trim() ? words.needName : problemsOf(save.error)['/name']}
      />
      <CheckField label={words.share} checked={isShared} onChange={setShared} />
    </FormDialog>
  )
}
