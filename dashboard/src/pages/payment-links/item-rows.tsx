import type { ReactNode } from 'react'
import { parseAmount } from '../../format/amount.ts'
import { AmountField, TextField } from '../../parts/forms/field.tsx'
import { Button } from '../../parts/page/button.tsx'
import { paymentLinkWords } from '../../words/payments/payment-links.ts'

const words = paymentLinkWords.form

/** An item of an order as a person types it. */
export interface ItemRow {
  key: string
  name: string
  quantity: string
  unitAmount: string
}

export const isEmptyRow = ({ name, unitAmount }: ItemRow): boolean => !name.trim() && !unitAmount.trim()

/** The item; undefined while something of it is missing. */
export function readItem(
  { key, name, quantity, unitAmount }: ItemRow,
  currency: string,
): { key: string; name: string; quantity: number; unitAmount: number } | undefined {
  const count = /^\d{1,6}$/.test(quantity.trim()) ? Number(quantity) : 0
  const amount = parseAmount(unitAmount, currency)
  if (!name.trim() || count < 1 || amount === undefined) return undefined
  return { key, name: name.trim(), quantity: count, unitAmount: amount }
}

/** The items of an order, with a way to add more. */
export function ItemRows({
  rows,
  currency,
  onChange,
}: {
  rows: readonly ItemRow[]
  currency: string
  onChange: (rows: ItemRow[]) => void
}): ReactNode {
  const change = (key: string, more: Partial<ItemRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...more } : row)))
  return (
    <div className="grid gap-3">
      {rows.map((row) => (
        <div key={row.key} className="grid grid-cols-2 gap-2 sm:grid-cols-[1fr_80px_140px_auto]">
          <div className="max-sm:col-span-2">
            <TextField
              label={words.name}
              maxLength={255}
              value={row.name}
              onChange={(name) => change(row.key, { name })}
            />
          </div>
          <TextField
            label={words.quantity}
            inputMode="numeric"
            value={row.quantity}
            onChange={(quantity) => change(row.key, { quantity })}
          />
          <AmountField
            label={words.unitAmount}
            currency={currency}
            value={row.unitAmount}
            onChange={(unitAmount) => change(row.key, { unitAmount })}
          />
          <Button
            look="quiet"
            className="justify-self-start sm:mt-6"
            onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
          >
            {words.remove}
          </Button>
        </div>
      ))}
      <Button
        className="justify-self-start"
        onClick={() =>
          onChange([...rows, { key: crypto.randomUUID(), name: '', quantity: '1', unitAmount: '' }])
        }
      >
        {words.addItem}
      </Button>
    </div>
  )
}
