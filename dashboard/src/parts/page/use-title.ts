import { useEffect } from 'react'

/** The title of the document, by which tabs and screen readers name the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Railyard`
  }, [title])
}
