import { Check, Copy, Download } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { commonWords as words } from '../../words/common.ts'
import { Button } from '../page/button.tsx'
import { saveFile } from '../save-file.ts'
import { Dialog } from './dialog.tsx'

/**
 * Shows a secret once. It closes by its button only, so that a slip of the hand does not lose what cannot be
 * shown again.
 */
export function SecretDialog({
  title,
  text,
  label,
  secret,
  fileName,
  onClose,
  children,
}: {
  title: string
  /** What the secret is for, and what becomes of it. */
  text: ReactNode
  label: string
  secret: string
  /** Offers the secret as a file of this name. */
  fileName?: string
  onClose: () => void
  /** Below the secret. */
  children?: ReactNode
}): ReactNode {
  const [isCopied, setCopied] = useState(false)
  return (
    <Dialog open wide onClose={() => {}} title={title} text={text}>
      <p className="mt-4 text-sm font-medium">{label}</p>
      <pre
        className="mt-1 max-h-60 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-sm break-all whitespace-pre-wrap select-all"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {secret}
      </pre>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(true))}>
          {isCopied ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
          <span aria-live="polite">{isCopied ? words.copied : words.copy}</span>
        </Button>
        {fileName && (
          <Button onClick={() => saveFile(secret, fileName, 'application/octet-stream')}>
            <Download aria-hidden size={14} /> {words.download}
          </Button>
        )}
      </div>
      {children}
      <div className="mt-4 flex justify-end">
        <Button look="primary" onClick={onClose}>
          {words.stored}
        </Button>
      </div>
    </Dialog>
  )
}
