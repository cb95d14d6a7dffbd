import type { ReactNode } from 'react'
import { readable } from '../../format/names.ts'
import { CheckField, SelectField, TextField } from '../../parts/forms/field.tsx'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { useMay } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { reportWords as words } from '../../words/finance/reports.ts'
import { isPersonal, reportFields } from './report-fields.ts'
import { type Draft, type Model, paymentFilters, type Span } from './report-params.ts'

interface PartProps {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
}

/** Which span of time a report covers. */
export function PeriodChoice({ model, draft, onChange }: PartProps & { model: Model }): ReactNode {
  const isAboutPayments = model === 'transactions'
  const spans = Object.entries(words.spans).filter(([span]) => isAboutPayments || span !== 'all')
  return (
    <Card title={words.period}>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={words.span}
          value={draft.span}
          options={spans}
          onChange={(span) => onChange({ span: span as Span })}
        />
        {isAboutPayments && draft.span !== 'all' && (
          <SelectField
            label={words.time}
            value={draft.time}
            options={Object.entries(words.times)}
            onChange={(time) => onChange({ time: time as Draft['time'] })}
          />
        )}
        {draft.span === 'custom' && (
          <>
            <TimeField label={words.from} value={draft.from} onChange={(from) => onChange({ from })} />
            <TimeField label={words.to} value={draft.to} onChange={(to) => onChange({ to })} />
          </>
        )}
      </div>
    </Card>
  )
}

/** The columns of a report of payments. Those about people are offered to people who may see them. */
export function ColumnChoice({ draft, onChange }: PartProps): ReactNode {
  const maySeeBuyers = useMay('buyers.billing-details.read')
  const groups = Object.entries(reportFields).map(
    ([group, fields]) =>
      [
        words.fieldGroups[group as keyof typeof words.fieldGroups],
        fields.filter((field) => maySeeBuyers || !isPersonal(field)),
      ] as const,
  )
  const all = groups.flatMap(([, fields]) => fields)
  // in the order in which they are offered
  const choose = (chosen: (field: string) => boolean) => onChange({ fields: all.filter(chosen) })
  return (
    <Card
      title={words.fields}
      aside={
        <span className="flex gap-1">
          <Button look="quiet" onClick={() => choose(() => true)}>
            {words.chooseAll}
          </Button>
          <Button look="quiet" onClick={() => choose(() => false)}>
            {words.chooseNone}
          </Button>
        </span>
      }
    >
      <p className="mb-3 text-sm text-ink-2">{words.fieldsText}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {groups.map(([title, fields]) => (
          <fieldset key={title} className="grid content-start gap-1.5">
            <legend className="mb-1 text-sm font-medium">{title}</legend>
            {fields.map((field) => (
              <CheckField
                key={field}
                label={field}
                checked={draft.fields.includes(field)}
                onChange={(checked) =>
                  choose((each) => (each === field ? checked : draft.fields.includes(each)))
                }
              />
            ))}
          </fieldset>
        ))}
      </div>
    </Card>
  )
}

const yesNo = [
  ['', commonWords.any],
  ['true', commonWords.yes],
  ['false', commonWords.no],
] as const

/** Which payments a report has, and their order. */
export function PaymentFilters({
  draft,
  onChange,
  problems,
}: PartProps & { problems: Record<string, string> }): ReactNode {
  const problemOf = (name: string) =>
    Object.entries(problems).find(([pointer]) => pointer.startsWith(`/spec/params/filters/${name}`))?.[1]
  const set = (name: string, value: string) => onChange({ filters: { ...draft.filters, [name]: value } })
  return (
    <Card title={words.only}>
      <p className="mb-3 text-sm text-ink-2">{words.onlyText}</p>
      <div className="grid gap-4 sm:grid-cols-2">
        {paymentFilters.map(({ name, kind, options, hint }) => {
          const common = {
            label: words.filterNames[name],
            value: draft.filters[name] ?? '',
            problem: problemOf(name),
            onChange: (value: string) => set(name, value),
          }
          if (kind === 'flag') return <SelectField key={name} {...common} options={yesNo} />
          if (options)
            return (
              <SelectField
                key={name}
                {...common}
                options={[['', commonWords.any], ...options.map((each) => [each, readable(each)] as const)]}
              />
            )
          return <TextField key={name} {...common} hint={hint} />
        })}
        <SelectField
          label={words.order}
          value={draft.sortField}
          options={[
            ['', words.byCreation],
            ...draft.fields.filter((field) => field !== 'metadata').map((field) => [field, field] as const),
          ]}
          onChange={(sortField) => onChange({ sortField })}
        />
        {draft.sortField && (
          <SelectField
            label={words.direction}
            value={draft.sortOrder}
            options={Object.entries(words.directions)}
            onChange={(sortOrder) => onChange({ sortOrder: sortOrder as Draft['sortOrder'] })}
          />
        )}
      </div>
    </Card>
  )
}
