import { Search } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useNavigationType, useSearchParams } from 'react-router'
import { commonWords as words } from '../../words/common.ts'
import { useShortcut } from '../page/shortcuts.ts'

/** Searches a list by what a person types: `search` in the address. The key `/` leads there. */
export function SearchBox({ placeholder }: { placeholder: string }): ReactNode {
  const [params, setParams] = useSearchParams()
  const current = params.get('search') ?? ''
  const [text, setText] = useState(current)
  const input = useRef<HTMLInputElement>(null)
  useShortcut('/', () => input.current?.focus())
  const way = useNavigationType()
  useEffect(() => {
    // the address follows a search that was sent: what the person types meanwhile stays
    if (way === 'POP' || document.activeElement !== input.current) setText(current)
  }, [current, way])
  return (
    <search className="relative w-[calc(100vw-32px)] max-w-105 sm:w-96">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setParams((before) => {
            const after = new URLSearchParams(before)
            if (text.trim()) after.set('search', text.trim())
            else after.delete('search')
            return after
          })
        }}
      >
        <Search aria-hidden size={15} className="absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-3" />
        <input
          ref={input}
          type="search"
          aria-label={words.search}
          aria-keyshortcuts="/"
          placeholder={placeholder}
          value={text}
          className="h-8 w-full rounded-md border border-line-strong bg-surface pr-3 pl-8 pointer-coarse:h-11"
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </search>
  )
}
