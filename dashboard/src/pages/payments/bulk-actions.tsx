import { type Railyard, RailyardError, type TransactionSummary } from '@railyard/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Amount } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { bulkWords as words } from '../../words/payments/bulk.ts'

type Bulk = 'capture' | 'void' | 'refund'

/** How many requests are under way at once. */
const AT_ONCE = 4

interface Failure {
  payment: TransactionSummary
  reason: string
}

/** Captures, voids or refunds selected payments, each under an idempotency key of its own. */
export function BulkActions({ rows, clear }: { rows: TransactionSummary[]; clear: () => void }): ReactNode {
  const [action, setAction] = useState<Bulk>()
  if (!useMay('transactions.write')) return null
  return (
    <>
      {(['capture', 'void', 'refund'] as const).map((each) => (
        <Button key={each} onClick={() => setAction(each)}>
          {words[each]}
        </Button>
      ))}
      {action && (
        <BulkDialog
          action={action}
          payments={rows}
          onClose={(isDone) => {
            setAction(undefined)
            if (isDone) clear()
          }}
        />
      )}
    </>
  )
}

function BulkDialog({
  action,
  payments,
  onClose,
}: {
  action: Bulk
  /** As they were when the dialog opened: a list that loads again must not change what is confirmed. */
  payments: TransactionSummary[]
  onClose: (isDone: boolean) => void
}): ReactNode {
  const { api, account } = useSignedIn()
  const queries = useQueryClient()
  const [chosen] = useState(payments)
  const [state, setState] = useState<'asking' | 'running' | 'done'>('asking')
  const [done, setDone] = useState(0)
  const [failures, setFailures] = useState<Failure[]>([])

  const run = async (todo: readonly TransactionSummary[]) => {
    setState('running')
    setDone(0)
    setFailures([])
    const left = [...todo]
    const worker = async () => {
      for (let payment = left.shift(); payment; payment = left.shift()) {
        const reason = await failureOf(api, action, payment.id)
        if (reason !== undefined) {
          const failure = { payment, reason }
          setFailures((all) => [...all, failure])
        }
        setDone((count) => count + 1)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    setState('done')
    await queries.invalidateQueries({ queryKey: [account, 'transactions'] })
  }

  return (
    <Dialog
      open
      onClose={() => state !== 'running' && onClose(state === 'done')}
      title={words.title(words[action], chosen.length)}
      text={state === 'asking' ? words.texts[action] : undefined}
    >
      <Sums payments={chosen} />
      {state !== 'asking' && (
        <div className="mt-4">
          <progress
            value={done}
            max={chosen.length}
            aria-label={words.progress}
            className="w-full accent-(--accent)"
          />
          <p role="status" className="text-sm text-ink-2">
            {words.doneOf(done, chosen.length, failures.length)}
          </p>
        </div>
      )}
      {failures.length > 0 && (
        <ul className="mt-3 grid max-h-64 gap-1 overflow-y-auto text-sm">
          {failures.map(({ payment, reason }) => (
            <li key={payment.id}>
              <Link to={`/${account}/payments/${payment.id}`} className="underline" target="_blank">
                {payment.external_identifier ?? payment.id}
              </Link>
              : {reason}
            </li>
          ))}
        </ul>
      )}
      <div className="mt-4 flex justify-end gap-2">
        {state === 'asking' && (
          <>
            <Button onClick={() => onClose(false)}>{commonWords.cancel}</Button>
            <Button look={action === 'capture' ? 'primary' : 'danger'} onClick={() => void run(chosen)}>
              {words[action]}
            </Button>
          </>
        )}
        {state === 'done' && (
          <>
            {failures.length > 0 && (
              <Button onClick={() => void run(failures.map(({ payment }) => payment))}>{words.again}</Button>
            )}
            <Button look="primary" onClick={() => onClose(true)}>
              {commonWords.close}
            </Button>
          </>
        )}
      </div>
    </Dialog>
  )
}

/** Does it to one payment, and answers why it failed. Undefined: it was done. */
async function failureOf(api: Railyard, action: Bulk, id: string): Promise<string | undefined> {
  try {
    const { status } = await act(api, action, id, crypto.randomUUID())
    return status === 'failed' || status === 'declined' ? words.refused(status) : undefined
  } catch (error) {
    return error instanceof RailyardError ? (error.details[0]?.message ?? error.message) : commonWords.failed
  }
}

function act(api: Railyard, action: Bulk, id: string, idempotencyKey: string): Promise<{ status: string }> {
  switch (action) {
    case 'capture':
      return api.transactions.capture(id, {}, { idempotencyKey, prefer: 'resource=transaction-capture' })
    case 'void':
      return api.transactions.void(id, { idempotencyKey, prefer: 'resource=transaction-void' })
    case 'refund':
      return api.transactions.refunds.create(id, {}, { idempotencyKey })
  }
}

/** What the payments come to, by currency. */
function Sums({ payments }: { payments: readonly TransactionSummary[] }): ReactNode {
  const sums = new Map<string, number>()
  for (const { currency, amount } of payments) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return (
    <p className="mt-3 text-sm">
      {words.together}{' '}
      {[...sums].map(([currency, sum], index) => (
        <b key={currency} className="font-medium">
          {index > 0 && ' + '}
          <Amount of={sum} currency={currency} />
        </b>
      ))}
    </p>
  )
}
