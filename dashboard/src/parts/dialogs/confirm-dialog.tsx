import type { Railyard } from '@railyard/client'
import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAction } from '../../api/use-api.ts'
import { useSay } from '../messages/toast.tsx'
import { FormDialog } from './dialog.tsx'

/** Asks before something is done that has no further input. */
export function ConfirmDialog<Result>({
  title,
  submit = title,
  text,
  done,
  danger = false,
  wide = false,
  run,
  changes,
  onDone,
  onClose,
  children,
}: {
  title: string
  /** The button that does it, if it has another text than the title. */
  submit?: string
  /** What happens. */
  text: ReactNode
  /** Said once it is done. */
  done: string
  danger?: boolean
  /** True: as wide as a form with two columns needs. */
  wide?: boolean
  run: (api: Railyard, idempotencyKey: string) => Promise<Result>
  changes: QueryKey[]
  /** In place of closing, such as leaving the page of what is gone. */
  onDone?: (result: Result) => void
  onClose: () => void
  /** What it is about. */
  children?: ReactNode
}): ReactNode {
  const say = useSay()
  const act = useAction({
    run: (api, _input: undefined, key) => run(api, key),
    onDone: (result) => {
      say(done)
      if (onDone) onDone(result)
      else onClose()
    },
    changes,
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={title}
      text={text}
      submit={submit}
      danger={danger}
      wide={wide}
      busy={act.isPending}
      error={act.error}
      onSubmit={() => act.mutate(undefined)}
    >
      {children}
    </FormDialog>
  )
}
