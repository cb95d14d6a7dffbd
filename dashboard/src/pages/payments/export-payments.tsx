import type { ListTransactionsQuery, TransactionSummary } from '@railyard/client'
import { type ReactNode, useRef, useState } from 'react'
import { Link } from 'react-router'
import { typedAmount } from '../../format/amount.ts'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { exportWords as words } from '../../words/payments/export.ts'

/** A browser holds them all in memory; a report has no such limit. */
const MOST_ROWS = 10_000

const columns: Record<string, (payment: TransactionSummary) => string | number | boolean | null | undefined> =
  {
    id: ({ id }) => id,
    external_identifier: ({ external_identifier }) => external_identifier,
    status: ({ status }) => status,
    currency: ({ currency }) => currency,
    amount: ({ amount, currency }) => typedAmount(amount, currency),
    authorized_amount: ({ authorized_amount, currency }) => typedAmount(authorized_amount, currency),
    captured_amount: ({ captured_amount, currency }) => typedAmount(captured_amount, currency),
    refunded_amount: ({ refunded_amount, currency }) => typedAmount(refunded_amount, currency),
    method: ({ method }) => method,
    scheme: ({ payment_method }) => payment_method?.scheme,
    label: ({ payment_method }) => payment_method?.label,
    payment_service: ({ payment_service }) => payment_service?.display_name,
    error_code: ({ error_code }) => error_code,
    buyer: ({ buyer }) => buyer?.billing_details?.email_address ?? buyer?.external_identifier,
    country: ({ country }) => country,
    created_at: ({ created_at }) => created_at,
    updated_at: ({ updated_at }) => updated_at,
  }

/** Writes the payments of a list into a CSV file, with its filters, and shows how far it is. */
export function ExportPayments({ filter }: { filter: ListTransactionsQuery }): ReactNode {
  const { api, account } = useSignedIn()
  const maySeeReports = useMay('reports.read')
  const [state, setState] = useState<'idle' | 'running' | 'done' | 'cut'>('idle')
  const [count, setCount] = useState(0)
  const [error, setError] = useState<unknown>()
  const leaving = useRef<AbortController>(undefined)

  const run = async () => {
    const controller = new AbortController()
    leaving.current = controller
    setState('running')
    setCount(0)
    setError(undefined)
    try {
      const rows: TransactionSummary[] = []
      for await (const { items } of api.transactions
        .list({ ...filter, limit: 100 }, { signal: controller.signal })
        .pages()) {
        rows.push(...items)
        setCount(rows.length)
        if (rows.length >= MOST_ROWS) break
      }
      await save(rows)
      setState(rows.length >= MOST_ROWS ? 'cut' : 'done')
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure)
      setState(controller.signal.aborted ? 'idle' : 'done')
    }
  }
  const close = () => {
    leaving.current?.abort()
    setState('idle')
  }
  return (
    <>
      <Button onClick={() => void run()}>{words.export}</Button>
      <Dialog open={state !== 'idle'} onClose={close} title={words.title}>
        <p role="status" className="mt-3 text-sm">
          {state === 'running' ? words.loaded(count) : words.written(count)}
        </p>
        {state === 'running' && (
          <progress aria-label={words.title} className="mt-2 w-full accent-(--accent)" />
        )}
        {state === 'cut' && (
          <p className="mt-2 text-sm">
            {words.cut(MOST_ROWS)}{' '}
            {maySeeReports && (
              <Link to={`/${account}/reports`} className="underline">
                {words.toReports}
              </Link>
            )}
          </p>
        )}
        {error ? <ErrorNotice error={error} /> : null}
        <div className="mt-4 flex justify-end">
          <Button onClick={close}>{state === 'running' ? commonWords.cancel : commonWords.close}</Button>
        </div>
      </Dialog>
    </>
  )
}

async function save(rows: readonly TransactionSummary[]): Promise<void> {
  const { stringify } = await import('csv-stringify/browser/esm/sync')
  const text = stringify(
    rows.map((row) => Object.values(columns).map((read) => read(row) ?? '')),
    { header: true, columns: Object.keys(columns), record_delimiter: 'windows', escape_formulas: true },
  )
  saveFile(text, `payments-${new Date().toISOString().slice(0, 10)}.csv`, 'text/csv;charset=utf-8')
}
