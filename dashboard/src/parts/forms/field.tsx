import { type ComponentProps, type ReactNode, useId } from 'react'
import { parseAmount, typedAmount } from '../../format/amount.ts'
import { commonWords as words } from '../../words/common.ts'

const control =
  'w-full rounded-md border border-line-strong bg-surface px-3 text-base pointer-coarse:min-h-11 aria-invalid:border-bad'

interface Labelled {
  label: string
  /** What to enter. */
  hint?: ReactNode
  /** What is wrong with it. */
  problem?: string | undefined
  optional?: boolean
}

interface Given {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** A label, a control, its hint and what is wrong with it. */
export function Field({
  label,
  hint,
  problem,
  optional = false,
  children,
}: Labelled & { children: (given: Given) => ReactNode }): ReactNode {
  const id = useId()
  const about = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
        {optional && <span className="font-normal text-ink-3"> {words.optional}</span>}
      </label>
      {children({ id, 'aria-describedby': about || undefined, 'aria-invalid': problem ? true : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-ink-3">
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  )
}

type Changed = { value: string; onChange: (value: string) => void }

export function TextField({
  label,
  hint,
  problem,
  optional,
  onChange,
  ...input
}: Labelled & Changed & Omit<ComponentProps<'input'>, 'onChange' | 'value'>): ReactNode {
  return (
    <Field label={label} hint={hint} problem={problem} optional={optional ?? false}>
      {(given) => (
        <input
          autoComplete="off"
          {...input}
          {...given}
          className={`${control} h-8`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

export function TextArea({
  label,
  hint,
  problem,
  optional,
  onChange,
  ...input
}: Labelled & Changed & Omit<ComponentProps<'textarea'>, 'onChange' | 'value'>): ReactNode {
  return (
    <Field label={label} hint={hint} problem={problem} optional={optional ?? false}>
      {(given) => (
        <textarea
          rows={4}
          {...input}
          {...given}
          className={`${control} py-1.5`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

/** A choice of some; the values are what is sent, the texts what is read. */
export function SelectField({
  label,
  hint,
  problem,
  optional,
  options,
  value,
  onChange,
}: Labelled & Changed & { options: readonly (readonly [value: string, text: string])[] }): ReactNode {
  return (
    <Field label={label} hint={hint} problem={problem} optional={optional ?? false}>
      {(given) => (
        <select
          {...given}
          value={value}
          className={`${control} h-8`}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}): ReactNode {
  const id = useId()
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-2">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="mt-0.5 size-4 accent-(--accent) pointer-coarse:size-6"
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id} className="text-sm">
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="col-start-2 text-xs text-ink-3">
          {hint}
        </p>
      )}
    </div>
  )
}

/** An amount as a person types it, of a currency that is known. */
export function AmountField({
  currency,
  value,
  ...rest
}: Labelled & Changed & { currency: string }): ReactNode {
  const isWrong = value !== '' && parseAmount(value, currency) === undefined
  return (
    <TextField
      inputMode="decimal"
      value={value}
      {...rest}
      label={currency ? `${rest.label} (${currency})` : rest.label}
      problem={rest.problem ?? (isWrong ? words.amountExample(typedAmount(1250, currency)) : undefined)}
    />
  )
}
