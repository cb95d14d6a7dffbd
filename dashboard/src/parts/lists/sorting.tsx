import { ArrowDown, ArrowUp } from 'lucide-react'
import { type HTMLAttributes, type ReactNode, useState } from 'react'
import { commonWords as words } from '../../words/common.ts'

/** A copy of a list in which one item is at another index. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const [item] = items.slice(from, from + 1)
  return item === undefined ? [...items] : items.toSpliced(from, 1).toSpliced(to, 0, item)
}

type Move = (from: number, to: number) => void

/** What makes the elements of a list draggable to another place. Keyboards use `MoveButtons`. */
export function useDragging(onMove: Move | undefined): (index: number) => HTMLAttributes<HTMLElement> {
  const [from, setFrom] = useState<number>()
  const [over, setOver] = useState<number>()
  const end = () => {
    setFrom(undefined)
    setOver(undefined)
  }
  if (!onMove) return () => ({})
  return (index) => ({
    draggable: true,
    style: over === index && from !== index ? { outline: '2px solid var(--accent)' } : {},
    onDragStart: (event) => {
      event.dataTransfer.effectAllowed = 'move'
      setFrom(index)
    },
    onDragOver: (event) => {
      if (from === undefined) return
      event.preventDefault()
      setOver(index)
    },
    onDrop: (event) => {
      event.preventDefault()
      if (from !== undefined && from !== index) onMove(from, index)
      end()
    },
    onDragEnd: end,
  })
}

/** Two buttons that move an item of a list by one place. */
export const MoveButtons = ({
  name,
  index,
  count,
  onMove,
}: {
  /** What is moved. */
  name: string
  index: number
  count: number
  onMove: Move
}): ReactNode => (
  <span className="inline-flex">
    {(
      [
        [words.moveUp(name), index - 1, ArrowUp],
        [words.moveDown(name), index + 1, ArrowDown],
      ] as const
    ).map(([label, to, Icon]) => {
      const isOff = to < 0 || to >= count
      return (
        <button
          key={label}
          type="button"
          aria-label={label}
          aria-disabled={isOff || undefined}
          className="grid size-7 place-items-center rounded-sm text-ink-3 hover:bg-quiet-soft hover:text-ink aria-disabled:cursor-not-allowed aria-disabled:opacity-40 pointer-coarse:size-11"
          onClick={() => {
            if (!isOff) onMove(index, to)
          }}
        >
          <Icon aria-hidden size={14} />
        </button>
      )
    })}
  </span>
)
