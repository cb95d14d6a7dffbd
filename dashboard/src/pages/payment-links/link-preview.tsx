import type { ReactNode } from 'react'
import { formatAmount } from '../../format/amount.ts'
import { Card } from '../../parts/page/layout.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { paymentLinkWords } from '../../words/payments/payment-links.ts'
import { buttonColors } from './page-color.ts'

const words = paymentLinkWords.page

/** What the page of a link shows of it. */
export interface PreviewedLink {
  amount: number | undefined
  currency: string
  isReserved: boolean
  merchantName: string
  message: string
  color: string
  hasTerms: boolean
  items: readonly { key: string; name: string; quantity: number; unitAmount: number }[]
}

/** The page of a payment link in short, as the buyer sees it. Nothing of it can be used. */
export function LinkPreview({ link }: { link: PreviewedLink }): ReactNode {
  const { account, accounts } = useSignedIn()
  const { amount = 0, currency, message, items, color } = link
  const merchant = link.merchantName || accounts.find(({ id }) => id === account)?.display_name || account
  const total = formatAmount(amount, currency)
  return (
    <Card title={paymentLinkWords.preview}>
      <p className="mb-3 text-xs text-ink-3">{paymentLinkWords.previewNote}</p>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3 rounded-lg border border-line-strong bg-bg p-4 wrap-anywhere">
        <div>
          <p className="font-semibold">{words.title(merchant)}</p>
          <p className="text-2xl font-semibold">{total}</p>
          {message && <p className="mt-1 text-sm whitespace-pre-line text-ink-2">{message}</p>}
        </div>
        {items.length > 0 && (
          <div className="text-sm">
            <p className="mb-1 font-medium">{words.order}</p>
            <ul>
              {items.map(({ key, name, quantity, unitAmount }) => (
                <li key={key} className="flex justify-between gap-3 border-b border-line py-1">
                  <span className="min-w-0">
                    {name}
                    {quantity !== 1 && (
                      <span className="block text-xs text-ink-3">{words.quantity(quantity)}</span>
                    )}
                  </span>
                  <span className="whitespace-nowrap">{formatAmount(quantity * unitAmount, currency)}</span>
                </li>
              ))}
            </ul>
            <p className="flex justify-between gap-3 py-1 font-medium">
              <span>{words.total}</span>
              <span>{total}</span>
            </p>
          </div>
        )}
        <p className="text-sm font-medium">{words.payWith}</p>
        <div className="grid grid-cols-2 gap-2 text-sm text-ink-3">
          <span className="col-span-2 rounded-md border border-line-strong bg-surface px-3 py-1.5">
            {words.cardNumber}
          </span>
          <span className="rounded-md border border-line-strong bg-surface px-3 py-1.5">{words.expiry}</span>
          <span className="rounded-md border border-line-strong bg-surface px-3 py-1.5">{words.code}</span>
        </div>
        <p
          className="rounded-md bg-[#0b51c1] px-3 py-2 text-center font-medium text-white"
          style={buttonColors(color)}
        >
          {words.pay(total)}
        </p>
        {link.isReserved && <p className="text-xs text-ink-3">{words.reserves(merchant)}</p>}
        {link.hasTerms && <p className="text-xs text-ink-3 underline">{words.terms(merchant)}</p>}
        <p className="text-xs text-ink-3">{words.private(merchant)}</p>
      </div>
    </Card>
  )
}
