import type { ReactNode } from 'react'
import { Dialog } from '../parts/dialogs/dialog.tsx'
import { shellWords as words } from '../words/shell.ts'

/** The keys that the dashboard knows. */
export default function KeysDialog({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog open onClose={onClose} title={words.keysTitle}>
      <dl className="mt-4 grid grid-cols-[80px_1fr] gap-2">
        {words.keyList.map(([key, text]) => (
          <div key={key} className="contents">
            <dt className="font-mono">{key}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
