import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { commonWords as words } from '../../words/common.ts'
import { CheckField, SelectField, TextArea, TextField } from './field.tsx'

/** A field of a definition: what a payment service, a gift card service or a fraud check is configured with. */
export interface DefinitionField {
  key: string
  display_name: string
  required: boolean
  format: string
  secret: boolean
}

interface Value {
  key: string
  value: string
}

export interface FieldsForm {
  /** What a person has typed, by the keys of the fields. */
  values: Readonly<Record<string, string>>
  set: (key: string, value: string) => void
  /** The fields to send: those that have changed. An empty value removes the field. */
  changed: () => Value[]
}

const REMOVED = '\u0000removed'

/** What a person types into the fields of a definition. `stored`: what is there already, without secrets. */
export function useFieldsForm(known: readonly DefinitionField[], stored: readonly Value[]): FieldsForm {
  const before = Object.fromEntries(stored.map(({ key, value }) => [key, value]))
  const [typed, setTyped] = useState<Record<string, string>>({})
  return {
    values: { ...before, ...typed },
    set: (key, value) => setTyped((all) => ({ ...all, [key]: value })),
    changed: () =>
      known.flatMap(({ key, secret }) => {
        const value = typed[key]
        if (value === REMOVED) return [{ key, value: '' }]
        if (value === undefined || (secret && value === '')) return []
        return value === (before[key] ?? '') ? [] : [{ key, value }]
      }),
  }
}

/** What is wrong with each field, by its key; `sent` are the fields of the request. */
export function fieldProblems(error: unknown, sent: readonly Value[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(problemsOf(error)).flatMap(([pointer, problem]) => {
      const [, index] = /^\/fields\/(\d+)\//.exec(pointer) ?? []
      const field = index === undefined ? undefined : sent[Number(index)]
      return field ? [[field.key, problem]] : []
    }),
  )
}

/** A control for each field of a definition. A secret is never shown again: left empty, it is kept. */
export const DefinitionFields = ({
  fields,
  form: { values, set },
  problems,
  isStored,
}: {
  fields: readonly DefinitionField[]
  form: FieldsForm
  problems: Readonly<Record<string, string>>
  /** Whether the service is there already. */
  isStored: boolean
}): ReactNode =>
  fields.map((field) => {
    const { key, display_name, format, secret, required } = field
    const isRemoved = values[key] === REMOVED
    const common = {
      label: display_name,
      value: isRemoved ? '' : (values[key] ?? ''),
      onChange: (value: string) => set(key, value),
      problem: problems[key],
      optional: !required,
      hint: secret && isStored ? words.keepSecret : secret ? words.secretOnce : undefined,
    }
    const control =
      format === 'boolean' ? (
        <SelectField
          {...common}
          options={[
            ['', words.none],
            ['true', words.yes],
            ['false', words.no],
          ]}
        />
      ) : format === 'timezone' ? (
        <SelectField
          {...common}
          options={[
            ['', words.none],
            ...Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone] as const),
          ]}
        />
      ) : format === 'multiline' || format === 'file' ? (
        <TextArea {...common} spellCheck={false} autoComplete="off" />
      ) : (
        <TextField
          {...common}
          type={secret ? 'password' : 'text'}
          inputMode={format === 'number' ? 'decimal' : 'text'}
          autoComplete={secret ? 'new-password' : 'off'}
          spellCheck={false}
          maxLength={10_000}
        />
      )
    return (
      <div key={key} className="grid content-start gap-1">
        {control}
        {secret && isStored && !required && (
          <CheckField
            label={words.removeSecret}
            checked={isRemoved}
            onChange={(checked) => set(key, checked ? REMOVED : '')}
          />
        )}
      </div>
    )
  })
