import { Tooltip } from '@base-ui/react/tooltip'
import { type ReactElement, type ReactNode, useId } from 'react'

/** A remark on a control, for pointer, keyboard and screen reader. */
export default function Tip({
  text,
  children,
}: {
  text: string
  children: ReactElement<Record<string, unknown>>
}): ReactNode {
  const id = useId()
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} aria-describedby={id} />
      <span id={id} hidden>
        {text}
      </span>
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-30">
          <Tooltip.Popup className="max-w-72 rounded-md bg-ink px-2.5 py-1.5 text-sm text-surface">
            {text}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
