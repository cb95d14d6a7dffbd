import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { formatAmount } from '../../format/amount.ts'
import { formatShort, formatTime } from '../../format/time.ts'
import { useZone } from '../../format/zone.tsx'
import { commonWords as words } from '../../words/common.ts'

/** A time, short; in full and in UTC at the pointer. */
export function Time({
  at,
  form = 'short',
}: {
  at: string | null | undefined
  form?: 'short' | 'both' | 'day' | 'time'
}): ReactNode {
  const { name } = useZone()
  if (!at) return words.none
  return (
    <time
      dateTime={at}
      title={`${formatTime(at, name)} (${name})\n${at}`}
      className={form === 'both' ? '' : 'whitespace-nowrap'}
    >
      {form === 'short' ? formatShort(at, name) : formatTime(at, name, form)}
    </time>
  )
}

/** A time in a column that matters less than the others. */
export const QuietTime = ({ at }: { at: string | null | undefined }): ReactNode => (
  <span className="font-normal text-ink-3">
    <Time at={at} />
  </span>
)

/** An amount in the smallest unit of its currency. */
export const Amount = ({
  of,
  currency,
}: {
  of: number | null | undefined
  currency: string | null | undefined
}): ReactNode => (of === null || of === undefined || !currency ? words.none : formatAmount(of, currency))

/** An id, copied by a click. `short`: its first part only is shown. */
export function CopyText({ text, short = false }: { text: string; short?: boolean }): ReactNode {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <button
      type="button"
      className="group inline-flex max-w-full items-center gap-1 rounded-sm text-left font-mono text-sm"
      title={text}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <span className={short ? 'truncate' : 'break-all'}>
        {short && text.length > 18 ? `${text.slice(0, 18)}…` : text}
      </span>
      {isCopied ? (
        <Check aria-hidden size={13} className="shrink-0 text-good" />
      ) : (
        <Copy
          aria-hidden
          size={13}
          className="shrink-0 text-ink-3 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
        />
      )}
      <span className="sr-only">{words.copy}</span>
      <span role="status" className="sr-only">
        {isCopied && words.copied}
      </span>
    </button>
  )
}

/** Anything as indented JSON. */
export const Json = ({ value }: { value: unknown }): ReactNode => (
  <pre
    className="max-h-96 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm whitespace-pre-wrap text-ink-2 break-all"
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    tabIndex={0}
  >
    {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
  </pre>
)
