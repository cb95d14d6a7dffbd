import type { Buyer } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useLoad } from '../../api/use-api.ts'
import { TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { useSettled } from '../../parts/use-settled.ts'
import { buyerWords } from '../../words/payments/buyers.ts'
import { buyerName } from './buyer-name.ts'

const words = buyerWords.field

/** Chooses one of the account's buyers by a search. */
export function BuyerField({
  value,
  onChange,
  optional = false,
  hint = words.hint,
  problem,
}: {
  value: Buyer | undefined
  onChange: (buyer: Buyer | undefined) => void
  optional?: boolean
  hint?: string
  problem?: string | undefined
}): ReactNode {
  const [text, setText] = useState('')
  // the list is gone once a buyer is chosen: the focus goes to what takes its place
  const [wasChosen, setChosen] = useState(false)
  const search = useSettled(text.trim())
  const query = useLoad(
    ['buyers', 'search', search],
    async (api, signal) => (await api.buyers.list({ search, limit: 6 }, { signal }).page()).items,
    { enabled: search !== '' && !value },
  )
  if (value)
    return (
      <div className="grid content-start gap-1">
        <p className="text-sm font-medium">{words.label}</p>
        <div className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 wrap-anywhere">
            {buyerName(value)}{' '}
            <span className="text-sm text-ink-3">{value.external_identifier ?? value.id.slice(0, 13)}</span>
          </span>
          <Button look="quiet" autoFocus={wasChosen} onClick={() => onChange(undefined)}>
            {words.change}
          </Button>
        </div>
      </div>
    )
  return (
    <div className="grid content-start gap-1">
      <TextField
        label={words.label}
        hint={hint}
        problem={problem}
        optional={optional}
        value={text}
        onChange={setText}
      />
      {search !== '' && query.error && <ErrorNotice error={query.error} />}
      <p role="status" className="sr-only">
        {search !== '' && query.data && words.found(query.data.length)}
      </p>
      {search !== '' && query.data && (
        <ul aria-label={words.matches} className="rounded-md border border-line">
          {query.data.map((buyer) => (
            <li key={buyer.id} className="border-b border-line last:border-b-0">
              <button
                type="button"
                className="flex w-full min-w-0 flex-wrap gap-x-2 px-3 py-1.5 text-left hover:bg-sunken pointer-coarse:min-h-11"
                onClick={() => {
                  setChosen(true)
                  onChange(buyer)
                }}
              >
                <span className="min-w-0 wrap-anywhere">{buyerName(buyer)}</span>
                <span className="min-w-0 text-sm break-all text-ink-3">
                  {buyer.external_identifier ?? buyer.id}
                </span>
              </button>
            </li>
          ))}
          {query.data.length === 0 && <li className="px-3 py-1.5 text-sm text-ink-3">{words.none}</li>}
        </ul>
      )}
    </div>
  )
}
