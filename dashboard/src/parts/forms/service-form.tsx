import { type FormEvent, type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { commonWords } from '../../words/common.ts'
import { serviceFormWords as words } from '../../words/connections/service-form.ts'
import { ErrorNotice } from '../messages/notice.tsx'
import { Button, ButtonLink } from '../page/button.tsx'
import { Card } from '../page/layout.tsx'
import { type DefinitionField, DefinitionFields, fieldProblems, useFieldsForm } from './definition-fields.tsx'
import { CheckField, SelectField, TextField } from './field.tsx'

export interface ServiceDefinition {
  id: string
  display_name: string
  fields: readonly DefinitionField[]
}

export interface ServiceInput {
  display_name: string
  active: boolean
  fields: { key: string; value: string }[]
}

/** What a person configures a service with, such as a gift card service. `service`: the one that is edited. */
export function ServiceForm({
  definition,
  service,
  activeHint,
  back,
  busy,
  error,
  onSubmit,
  children,
}: {
  definition: ServiceDefinition
  service?: ServiceInput
  activeHint: string
  back: string
  busy: boolean
  error: unknown
  onSubmit: (input: ServiceInput) => void
  /** More fields, which the caller keeps. */
  children?: ReactNode
}): ReactNode {
  const [name, setName] = useState(service?.display_name ?? definition.display_name)
  const [isActive, setActive] = useState(service?.active ?? true)
  const form = useFieldsForm(definition.fields, service?.fields ?? [])
  const [sent, setSent] = useState<ServiceInput['fields']>([])
  const problems = problemsOf(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!name.trim()) return
    const fields = form.changed()
    setSent(fields)
    onSubmit({ display_name: name.trim(), active: isActive, fields })
  }
  return (
    <form noValidate onSubmit={submit} className="max-w-3xl">
      <Card>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={words.name}
            value={name}
            onChange={setName}
            maxLength={200}
            problem={name.trim() ? problems['/display_name'] : words.needName}
          />
          {children}
          <CheckField label={words.active} hint={activeHint} checked={isActive} onChange={setActive} />
        </div>
      </Card>
      {definition.fields.length > 0 && (
        <Card title={words.fields}>
          <div className="grid gap-4 sm:grid-cols-2">
            <DefinitionFields
              fields={definition.fields}
              form={form}
              isStored={service !== undefined}
              problems={fieldProblems(error, sent)}
            />
          </div>
        </Card>
      )}
      {error ? <ErrorNotice error={error} /> : null}
      <div className="mt-4 mb-4 flex justify-end gap-2">
        <ButtonLink to={back}>{commonWords.cancel}</ButtonLink>
        <Button type="submit" look="primary" busy={busy}>
          {service ? commonWords.save : words.connect}
        </Button>
      </div>
    </form>
  )
}

/** Which kind of service is connected. With one kind only there is nothing to choose. */
export const DefinitionChoice = ({
  definitions,
  value,
  onChange,
}: {
  definitions: readonly ServiceDefinition[]
  value: string
  onChange: (id: string) => void
}): ReactNode =>
  definitions.length === 0 ? (
    <p className="text-sm text-ink-3">{words.noKinds}</p>
  ) : (
    <div className="mb-4 max-w-sm">
      <SelectField
        label={words.kind}
        value={value}
        onChange={onChange}
        options={definitions.map(({ id, display_name }) => [id, display_name])}
      />
    </div>
  )
