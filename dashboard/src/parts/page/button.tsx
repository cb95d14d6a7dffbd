import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react'
import { Link, type LinkProps } from 'react-router'

/** Loaded where a button is refused. */
const Tip = lazy(() => import('../messages/tip.tsx'))

type Look = 'plain' | 'primary' | 'danger' | 'quiet'

const base =
  'inline-flex h-8 items-center justify-center gap-1.5 rounded-md px-3 text-base font-medium whitespace-nowrap pointer-coarse:h-11'
const looks: Record<Look, string> = {
  plain: 'border border-line-strong bg-surface text-ink shadow-raise hover:bg-sunken',
  primary: 'bg-accent text-accent-ink hover:opacity-90',
  danger: 'bg-bad text-surface hover:opacity-90',
  quiet: 'text-ink-2 hover:bg-quiet-soft hover:text-ink',
}

interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  look?: Look
  /** Why it cannot be pressed now; shown as a tooltip and read by screen readers. */
  refused?: string | false | undefined
  /** While its action runs. */
  busy?: boolean
}

/** A button. One that cannot be pressed stays reachable and says why. */
export function Button({
  look = 'plain',
  refused,
  busy = false,
  className = '',
  onClick,
  type = 'button',
  ...rest
}: ButtonProps): ReactNode {
  const isOff = Boolean(refused) || busy
  const button = (
    <button
      {...rest}
      type={type}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.(event)
      }}
      className={`${base} ${looks[look]} ${isOff ? 'cursor-not-allowed! opacity-55' : ''} ${className}`}
    />
  )
  if (!refused) return button
  return (
    // not to be reached before it can say why, and in its place
    <Suspense fallback={<span className="invisible">{button}</span>}>
      <Tip text={refused}>{button}</Tip>
    </Suspense>
  )
}

/** A link that looks like a button. */
export const ButtonLink = ({
  look = 'plain',
  className = '',
  ...rest
}: LinkProps & { look?: Look }): ReactNode => (
  <Link {...rest} className={`${base} ${looks[look]} ${className}`} />
)
