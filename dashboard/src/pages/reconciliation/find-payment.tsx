import type { ListTransactionsQuery, UnmatchedReportLine } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { parseAmount } from '../../format/amount.ts'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { CheckField, TextField } from '../../parts/forms/field.tsx'
import { SmallTable } from '../../parts/lists/small-table.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Amount } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { reconciliationWords as words } from '../../words/finance/reconciliation.ts'
import { describeStatus } from '../payments/payment-status.ts'
import { describeReason } from './unmatched-reason.ts'

/** What a line means, and a search for the payment that it may be about. */
export function FindPaymentDialog({
  line,
  onClose,
}: {
  line: UnmatchedReportLine
  onClose: () => void
}): ReactNode {
  const { text, meaning, next } = describeReason(line.reason)
  const maySearch = useMay('transactions.read')
  return (
    <Dialog open onClose={onClose} wide title={text} text={`${meaning} ${next}`}>
      <div className="mt-4 grid gap-4">
        <div>
          <h3 className="mb-1 text-sm font-medium">{words.lineText}</h3>
          <p className="rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm break-all">
            {line.text}
          </p>
        </div>
        {maySearch && <PaymentSearch line={line} />}
        <Button className="justify-self-end" onClick={onClose}>
          {commonWords.close}
        </Button>
      </div>
    </Dialog>
  )
}

const MOST_CELLS = 20

/** The cells of a line, each once. Reports separate them by a comma, a semicolon or a tab. */
const cellsOf = (text: string): string[] =>
  [...new Set(text.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"|"$/g, '')))]
    .filter((cell) => cell.length > 1 && cell.length <= 100)
    .slice(0, MOST_CELLS)

/** The amount that a cell may be: reports write the smallest unit, or a point or comma before the fraction. */
function amountIn(cell: string, currency: string): number | undefined {
  const unsigned = cell.replace(/^[-+]/, '')
  return /^\d{1,12}$/.test(unsigned) ? Number(unsigned) : parseAmount(unsigned, currency || 'EUR')
}

const currencyIn = (text: string): string => cellsOf(text).find((cell) => /^[A-Z]{3}$/.test(cell)) ?? ''

function PaymentSearch({ line }: { line: UnmatchedReportLine }): ReactNode {
  const [reference, setReference] = useState('')
  const [amount, setAmount] = useState('')
  const [currency, setCurrency] = useState(currencyIn(line.text))
  const [isOfService, setOfService] = useState(true)
  const [searches, setSearches] = useState<readonly ListTransactionsQuery[]>([])
  const [problem, setProblem] = useState<string>()

  const start = (...queries: readonly ListTransactionsQuery[]) => {
    const ofService = isOfService && { payment_service_id: [line.payment_service_id] }
    setSearches(queries.map((query) => ({ ...query, ...ofService })))
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    const [sought, soughtAmount] = [reference.trim(), amount.trim()]
    const parsed = parseAmount(soughtAmount, currency)
    const isWrong = soughtAmount !== '' && (parsed === undefined || !/^[A-Z]{3}$/.test(currency))
    setProblem(isWrong ? words.amountProblem : undefined)
    if (isWrong || (!sought && !soughtAmount)) return
    start({
      ...(sought && { search: sought }),
      ...(parsed !== undefined && { amount_eq: parsed, currency: [currency] }),
    })
  }
  const take = (cell: string) => {
    const possible = amountIn(cell, currency)
    setReference(cell)
    setAmount('')
    start(
      { search: cell },
      ...(possible === undefined ? [] : [{ amount_eq: possible, ...(currency && { currency: [currency] }) }]),
    )
  }
  return (
    <>
      <div>
        <h3 className="mb-1 text-sm font-medium">{words.cells}</h3>
        <div className="flex flex-wrap gap-1.5">
          {cellsOf(line.text).map((cell) => (
            <button
              key={cell}
              type="button"
              className="max-w-full truncate rounded-full border border-line-strong px-2.5 py-[3px] font-mono text-sm hover:bg-sunken"
              onClick={() => take(cell)}
            >
              {cell}
            </button>
          ))}
        </div>
      </div>
      <form onSubmit={send} className="grid items-start gap-3 sm:grid-cols-[1fr_140px_90px_auto]">
        <TextField
          label={words.reference}
          hint={words.referenceHint}
          value={reference}
          onChange={setReference}
        />
        <TextField
          label={words.amount}
          inputMode="decimal"
          problem={problem}
          value={amount}
          onChange={setAmount}
        />
        <TextField
          label={words.currency}
          maxLength={3}
          value={currency}
          onChange={(text) => setCurrency(text.toUpperCase())}
        />
        <Button type="submit" look="primary" className="sm:mt-[22px]">
          {words.search}
        </Button>
      </form>
      <CheckField label={words.onlyService} checked={isOfService} onChange={setOfService} />
      {searches.length > 0 && <FoundPayments searches={searches} />}
    </>
  )
}

function FoundPayments({ searches }: { searches: readonly ListTransactionsQuery[] }): ReactNode {
  const { account } = useSignedIn()
  const query = useLoad(['transactions', 'fitting', searches], async (api, signal) => {
    const pages = await Promise.all(
      searches.map((search) => api.transactions.list({ ...search, limit: 10 }, { signal }).page()),
    )
    return [...new Map(pages.flatMap(({ items }) => items).map((each) => [each.id, each])).values()]
  })
  const columns = words.resultColumns
  return (
    <section aria-live="polite">
      <h3 className="mb-1 text-sm font-medium">{words.results}</h3>
      <Loaded query={query} lines={2}>
        {(payments) => (
          <SmallTable
            label={words.results}
            rows={payments}
            rowId={({ id }) => id}
            empty={words.noResult}
            columns={[
              {
                id: 'payment',
                header: columns.payment,
                cell: ({ id, amount, currency, external_identifier }) => (
                  <Link className="underline" to={`/${account}/payments/${id}`}>
                    <Amount of={amount} currency={currency} /> {external_identifier ?? words.noReference}
                  </Link>
                ),
              },
              {
                id: 'status',
                header: columns.status,
                cell: (payment) => describeStatus(payment).text,
              },
              {
                id: 'captured',
                header: columns.captured,
                align: 'end',
                cell: ({ captured_amount, currency }) => <Amount of={captured_amount} currency={currency} />,
              },
              {
                id: 'settled',
                header: columns.settled,
                align: 'end',
                cell: ({ settled, settled_amount, settled_currency }) =>
                  settled ? <Amount of={settled_amount} currency={settled_currency} /> : commonWords.no,
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  )
}
