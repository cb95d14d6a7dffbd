import { type ReactNode, useState } from 'react'
import { useMethods } from '../../api/use-methods.ts'
import { currencyCodes } from '../../format/names.ts'
import { ChoicesField } from '../../parts/forms/choices-field.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../parts/forms/field.tsx'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { commonWords } from '../../words/common.ts'
import { routingWords } from '../../words/connections/routing.ts'
import { type LeafDraft, newLeaf } from './condition-draft.ts'
import {
  choicesOf,
  type FieldName,
  fieldKinds,
  fieldNames,
  kindOperators,
  type Operator,
  weekdays,
} from './condition-fields.ts'

const words = routingWords.condition

/** What is compared with may have commas and spaces; only lines separate it. */
const listOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

/** A question about one field. */
export function LeafEditor({
  draft,
  onChange,
  problem,
}: {
  draft: LeafDraft
  onChange: (draft: LeafDraft) => void
  problem: string | undefined
}): ReactNode {
  const { field, name, operator, negated } = draft
  return (
    <div className="grid gap-2">
      <div className="grid items-start gap-2 sm:grid-cols-2 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,2fr)]">
        <SelectField
          label={words.field}
          value={field}
          onChange={(next) => onChange(newLeaf(next as FieldName, draft))}
          options={fieldNames.map((each) => [each, routingWords.fields[each]])}
        />
        <SelectField
          label={words.operator}
          value={operator}
          onChange={(next) => onChange({ ...draft, operator: next as Operator })}
          options={kindOperators[fieldKinds[field]].map((each) => [each, routingWords.operators[each]])}
        />
        <div className="grid gap-2 sm:col-span-2 xl:col-span-1">
          {field === 'metadata' && (
            <TextField
              label={words.key}
              value={name}
              maxLength={100}
              onChange={(next) => onChange({ ...draft, name: next })}
            />
          )}
          <ValueEditor draft={draft} onChange={onChange} problem={problem} />
        </div>
      </div>
      <CheckField
        label={words.not}
        checked={negated}
        onChange={(next) => onChange({ ...draft, negated: next })}
      />
    </div>
  )
}

const zones = Intl.supportedValuesOf('timeZone')

function ValueEditor({
  draft,
  onChange,
  problem,
}: {
  draft: LeafDraft
  onChange: (draft: LeafDraft) => void
  problem: string | undefined
}): ReactNode {
  const methods = useMethods()
  const { field, operator, value, to, values, zone, currency } = draft
  const set = (next: Partial<LeafDraft>) => onChange({ ...draft, ...next })
  const zoneField = (
    <SelectField
      label={words.zone}
      value={zone}
      onChange={(next) => set({ zone: next })}
      options={[...new Set([zone, 'UTC', ...zones])].map((each) => [each, each])}
    />
  )
  if (operator === 'known' || operator === 'unknown') return null
  switch (fieldKinds[field]) {
    case 'amount': {
      const isRange = operator === 'between'
      return (
        <div className={`grid items-start gap-2 ${isRange ? 'grid-cols-3' : 'grid-cols-2'}`}>
          <TextField
            label={isRange ? words.from : words.value}
            inputMode="decimal"
            value={value}
            onChange={(next) => set({ value: next })}
            problem={problem}
          />
          {isRange && (
            <TextField
              label={words.to}
              inputMode="decimal"
              value={to}
              onChange={(next) => set({ to: next })}
            />
          )}
          <SelectField
            label={words.currency}
            value={currency}
            onChange={(next) => set({ currency: next })}
            options={[['', words.currencyOf], ...currencyCodes().map((code) => [code, code] as const)]}
          />
        </div>
      )
    }
    case 'truth':
      return (
        <SelectField
          label={words.value}
          value={value}
          onChange={(next) => set({ value: next })}
          options={[
            ['true', commonWords.yes],
            ['false', commonWords.no],
          ]}
          problem={problem}
        />
      )
    case 'hours':
      return (
        <div className="grid items-start gap-2 sm:grid-cols-3">
          <TextField
            label={words.from}
            type="time"
            value={value}
            onChange={(next) => set({ value: next })}
            problem={problem}
          />
          <TextField
            label={words.to}
            type="time"
            value={to}
            onChange={(next) => set({ to: next })}
            hint={words.hoursHint}
          />
          {zoneField}
        </div>
      )
    case 'days':
      return (
        <div className="grid items-start gap-2 sm:grid-cols-2">
          <ChoicesField
            label={words.days}
            options={weekdays.map((day) => [day, day])}
            values={values}
            onChange={(next) => set({ values: next })}
            problem={problem}
          />
          {zoneField}
        </div>
      )
    case 'instant':
      return (
        <TimeField
          label={words.value}
          step={1}
          value={value}
          onChange={(next) => set({ value: next })}
          problem={problem}
        />
      )
    case 'bin':
      return (
        <ListField
          draft={draft}
          onChange={onChange}
          hint={operator === 'in_range' ? words.rangeHint : words.listHint}
          problem={problem}
        />
      )
    default: {
      const choices = choicesOf(field, methods)
      if (operator === 'in')
        return choices ? (
          <ChoicesField
            label={words.values}
            options={choices}
            values={values}
            onChange={(next) => set({ values: next })}
            problem={problem}
          />
        ) : (
          <ListField draft={draft} onChange={onChange} hint={words.listHint} problem={problem} />
        )
      return choices ? (
        <SelectField
          label={words.value}
          value={value}
          onChange={(next) => set({ value: next })}
          options={[
            ['', commonWords.none],
            ...(value && !choices.some(([each]) => each === value) ? [[value, value] as const] : []),
            ...choices,
          ]}
          problem={problem}
        />
      ) : (
        <TextField
          label={words.value}
          value={value}
          maxLength={500}
          onChange={(next) => set({ value: next })}
          problem={problem}
        />
      )
    }
  }
}

/** Several values that a person types, one in each line. */
function ListField({
  draft,
  onChange,
  hint,
  problem,
}: {
  draft: LeafDraft
  onChange: (draft: LeafDraft) => void
  hint: string
  problem: string | undefined
}): ReactNode {
  const [text, setText] = useState(draft.values.join('\n'))
  return (
    <TextArea
      label={words.values}
      rows={Math.min(8, Math.max(2, draft.values.length))}
      value={text}
      hint={hint}
      problem={problem}
      onChange={(next) => {
        setText(next)
        onChange({ ...draft, values: listOf(next) })
      }}
    />
  )
}
