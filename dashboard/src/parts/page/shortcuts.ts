import { useEffect, useRef } from 'react'

/** Calls `act` when a key is pressed outside of fields and dialogs. */
export function useShortcut(key: string, act: () => void): void {
  const current = useRef(act)
  current.current = act
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return
      if (
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, [role=dialog], [role=menu]')
      )
        return
      event.preventDefault()
      current.current()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [key])
}
