import { type ReactNode, useState } from 'react'
import { memberWords as words } from '../../words/members.ts'
import { Button } from '../page/button.tsx'

/** Opens something that is not listed, by its id. */
export function OpenById({ label, onOpen }: { label: string; onOpen: (id: string) => void }): ReactNode {
  const [id, setId] = useState('')
  return (
    <form
      className="flex w-full max-w-105 items-center gap-2 sm:w-96"
      onSubmit={(event) => {
        event.preventDefault()
        if (id.trim()) onOpen(id.trim())
      }}
    >
      <input
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        value={id}
        className="h-8 w-full min-w-0 rounded-md border border-line-strong bg-surface px-3 pointer-coarse:h-11"
        onChange={(event) => setId(event.target.value)}
      />
      <Button type="submit">{words.open}</Button>
    </form>
  )
}
