import { Menu as Base } from '@base-ui/react/menu'
import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'

export interface MenuItem {
  text: string
  onSelect: () => void
  /** Why it cannot be chosen now. */
  refused?: string | false | undefined
  danger?: boolean
}

/** A button that opens a list of actions. */
export function Menu({
  label,
  items,
  trigger,
}: {
  label: string
  items: readonly MenuItem[]
  /** What the button shows in place of the label. */
  trigger?: ReactNode
}): ReactNode {
  if (items.length === 0) return null
  return (
    <Base.Root>
      <Base.Trigger
        aria-label={trigger ? label : undefined}
        className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-3 font-medium shadow-raise hover:bg-sunken pointer-coarse:h-11"
      >
        {trigger ?? (
          <>
            {label} <ChevronDown aria-hidden size={14} />
          </>
        )}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-30">
          <Base.Popup className="min-w-44 rounded-md border border-line bg-surface p-1 shadow-lg">
            {items.map(({ text, onSelect, refused, danger }) => (
              <Base.Item
                key={text}
                disabled={Boolean(refused)}
                onClick={onSelect}
                className={`rounded-sm px-2.5 py-1.5 text-base outline-none data-highlighted:bg-quiet-soft ${danger ? 'text-bad' : ''} ${refused ? 'text-ink-3' : 'cursor-pointer'}`}
              >
                {text}
                {refused && <span className="block max-w-64 text-xs">{refused}</span>}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
