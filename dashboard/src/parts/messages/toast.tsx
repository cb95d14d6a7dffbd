import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { commonWords as words } from '../../words/common.ts'

const SayContext = createContext<((text: string) => void) | undefined>(undefined)

/** Says for a while that something was done; screen readers read it, too. */
export function useSay(): (text: string) => void {
  const say = useContext(SayContext)
  if (!say) throw new Error('no place for messages')
  return say
}

const SHOWN_MS = 6000

export function Toasts({ children }: { children: ReactNode }): ReactNode {
  const [messages, setMessages] = useState<readonly { id: string; text: string }[]>([])
  const remove = useCallback((gone: string) => setMessages((all) => all.filter(({ id }) => id !== gone)), [])
  const say = useCallback(
    (text: string) => {
      const id = crypto.randomUUID()
      setMessages((all) => [...all, { id, text }])
      setTimeout(remove, SHOWN_MS, id)
    },
    [remove],
  )
  return (
    <SayContext value={say}>
      {children}
      <div role="status" className="fixed right-4 bottom-4 z-40 grid w-80 max-w-[calc(100vw-32px)] gap-2">
        {messages.map(({ id, text }) => (
          <div
            key={id}
            className="flex items-center justify-between gap-3 rounded-md border border-line bg-surface px-4 py-3 shadow-lg"
          >
            <p className="font-medium">{text}</p>
            <button
              type="button"
              aria-label={words.close}
              className="px-1 text-ink-3"
              onClick={() => remove(id)}
            >
              ×
            </button>
          </div>
        ))}
      </div>
    </SayContext>
  )
}
