import type { ReactNode } from 'react'
import { basePath } from '../../api/place.ts'

/** Whether a browser may be led there: an encrypted page, or one of Railyard itself. */
const isSafe = (url: string): boolean =>
  url.startsWith('https://') || url.startsWith(`${location.origin}${basePath}/`)

/** An address from a merchant or a provider: a link to another tab where that is safe, else its text. */
export const OutsideLink = ({ url, text = url }: { url: string; text?: string }): ReactNode =>
  isSafe(url) ? (
    <a href={url} target="_blank" rel="noopener noreferrer" className="underline break-all">
      {text}
    </a>
  ) : (
    <span className="break-all">{url}</span>
  )
