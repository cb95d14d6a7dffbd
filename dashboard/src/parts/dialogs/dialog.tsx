import { Dialog as Base } from '@base-ui/react/dialog'
import { type FormEvent, type ReactNode, useState } from 'react'
import { AskedContext } from '../../api/asked.ts'
import { commonWords as words } from '../../words/common.ts'
import { ErrorNotice } from '../messages/notice.tsx'
import { Button } from '../page/button.tsx'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  /** What happens, in a sentence or two. */
  text?: ReactNode
  children?: ReactNode
  /** True: as wide as a form with two columns needs. */
  wide?: boolean
}

/** A dialog over the page. */
export function Dialog({ open, onClose, title, text, children, wide = false }: DialogProps): ReactNode {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-20 bg-black/40" />
        <Base.Popup
          className={`fixed top-1/2 left-1/2 z-20 max-h-[92vh] w-[calc(100vw-24px)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-lg border border-line bg-surface p-5 ${wide ? 'max-w-3xl' : 'max-w-md'}`}
        >
          <Base.Title className="text-lg font-semibold">{title}</Base.Title>
          {text && <Base.Description className="mt-1 text-sm text-ink-2">{text}</Base.Description>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface FormDialogProps extends DialogProps {
  /** The button that does it. */
  submit: string
  danger?: boolean
  /** While it is done. */
  busy: boolean
  /** Why it was not done. */
  error?: unknown
  onSubmit: () => void
}

/**
 * A dialog that asks, and does something once it is confirmed. It stays open while that is done, so that the person
 * sees what became of it. Where it was refused and the person has asked
 * for approval instead, only that is left to see, and nothing can be sent again.
 */
export function FormDialog({
  submit,
  danger = false,
  busy,
  error,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps): ReactNode {
  const [isAsked, setAsked] = useState(false)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!busy && !isAsked) onSubmit()
  }
  const close = () => {
    if (!busy) dialog.onClose()
  }
  return (
    <Dialog {...dialog} onClose={close}>
      <form onSubmit={send} noValidate className="mt-4 grid gap-4">
        {!isAsked && children}
        <AskedContext value={() => setAsked(true)}>
          {error ? <ErrorNotice error={error} /> : null}
        </AskedContext>
        <div className="flex justify-end gap-2">
          <Button onClick={close} busy={busy}>
            {isAsked ? words.close : words.cancel}
          </Button>
          {!isAsked && (
            <Button type="submit" look={danger ? 'danger' : 'primary'} busy={busy}>
              {submit}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** Whether a dialog is open, and what it is about. */
export function useDialog<About = true>(): {
  about: About | undefined
  open: (about: About) => void
  close: () => void
} {
  const [about, setAbout] = useState<About>()
  return { about, open: setAbout, close: () => setAbout(undefined) }
}
