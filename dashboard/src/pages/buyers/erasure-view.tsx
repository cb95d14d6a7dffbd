import type { BuyerErasure, Railyard, TransactionErasure } from '@railyard/client'
import { RailyardError } from '@railyard/client'
import type { QueryKey, UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useAction, useLoad } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { CheckField } from '../../parts/forms/field.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Time } from '../../parts/values/values.tsx'
import { erasureWords as words } from '../../words/payments/erasure.ts'

type Erasure = BuyerErasure | TransactionErasure

/** The erasure under a key; null: none was requested. */
export const useErasure = (
  key: QueryKey,
  load: (api: Railyard, signal: AbortSignal) => Promise<Erasure>,
): UseQueryResult<Erasure | null> =>
  useLoad(
    key,
    (api, signal) =>
      load(api, signal).catch((error: unknown) => {
        if (error instanceof RailyardError && error.status === 404) return null
        throw error
      }),
    { refresh: 5_000 },
  )

/** What an erasure removes and keeps, its state, and the way to request it. */
export function ErasureView({
  of,
  above,
  query,
  mayErase,
  erase,
}: {
  of: 'buyer' | 'payment'
  above: readonly { text: string; to: string }[]
  query: UseQueryResult<Erasure | null>
  mayErase: boolean
  erase: (api: Railyard) => Promise<Erasure>
}): ReactNode {
  const dialog = useDialog()
  const texts = words[of]
  const title = of === 'buyer' ? words.ofBuyer : words.ofPayment
  return (
    <Layout
      title={title}
      above={above}
      actions={
        mayErase && (
          <Button look="danger" refused={refusalOf(of, query.data)} onClick={() => dialog.open(true)}>
            {query.data && of === 'buyer' ? words.again : words.erase}
          </Button>
        )
      }
    >
      <div className="mb-4">
        <Loaded query={query} lines={2}>
          {(erasure) => <State erasure={erasure} />}
        </Loaded>
      </div>
      {!mayErase && <p className="mb-4 text-sm text-ink-2">{words.notAllowed}</p>}
      <div className="grid items-start gap-x-6 lg:grid-cols-2">
        <List title={words.removed} items={texts.removed} />
        <div>
          <List title={words.kept} items={texts.kept} />
          <List title={words.outside} items={words.outsideList} />
        </div>
      </div>
      {dialog.about && <EraseDialog title={title} erase={erase} onClose={dialog.close} />}
    </Layout>
  )
}

/** Why nothing can be erased now. A payment is erased once; what comes back later is erased by itself. */
function refusalOf(of: 'buyer' | 'payment', erasure: Erasure | null | undefined): string | undefined {
  if (erasure?.status === 'pending') return words.pending
  return of === 'payment' && erasure ? words.succeeded : undefined
}

const List = ({ title, items }: { title: string; items: readonly string[] }): ReactNode => (
  <Card title={title}>
    <ul className="list-disc pl-4 text-sm">
      {items.map((item) => (
        <li key={item} className="mb-1">
          {item}
        </li>
      ))}
    </ul>
  </Card>
)

function State({ erasure }: { erasure: Erasure | null }): ReactNode {
  if (!erasure) return <Notice>{words.none}</Notice>
  const isDone = erasure.status === 'succeeded'
  const isOfBuyer = 'waiting' in erasure
  const pending = isOfBuyer ? words.pendingText(erasure.waiting) : words.pendingPayment
  return (
    <Notice tone={isDone ? 'good' : 'warn'}>
      <p className="font-medium">{isDone ? words.succeeded : words.pending}</p>
      <p>{isDone ? words.succeededText : pending}</p>
      {isOfBuyer && (
        <div className="mt-2 text-ink">
          <Details>
            <Detail name={words.requested}>
              <Time at={erasure.created_at} form="both" />
            </Detail>
            <Detail name={words.completed}>
              {erasure.completed_at && <Time at={erasure.completed_at} form="both" />}
            </Detail>
          </Details>
        </div>
      )}
    </Notice>
  )
}

function EraseDialog({
  title,
  erase,
  onClose,
}: {
  title: string
  erase: (api: Railyard) => Promise<Erasure>
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const [isUnderstood, setUnderstood] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const act = useAction({
    run: (api) => erase(api),
    onDone: () => {
      say(words.started)
      onClose()
    },
  })
  return (
    <FormDialog
      open
      danger
      onClose={onClose}
      title={words.confirmTitle}
      text={words.confirmText}
      submit={title}
      busy={act.isPending}
      error={act.error}
      onSubmit={() => {
        setRefused(!isUnderstood)
        if (isUnderstood) act.mutate()
      }}
    >
      <CheckField label={words.understood} checked={isUnderstood} onChange={setUnderstood} />
      {isRefused && (
        <p role="alert" className="text-sm text-bad">
          {words.notUnderstood}
        </p>
      )}
    </FormDialog>
  )
}
