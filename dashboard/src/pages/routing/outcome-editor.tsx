import type { PaymentService } from '@railyard/client'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMethods } from '../../api/use-methods.ts'
import { readable } from '../../format/names.ts'
import { ChoicesField } from '../../parts/forms/choices-field.tsx'
import { SelectField, TextField } from '../../parts/forms/field.tsx'
import { MoveButtons, moved } from '../../parts/lists/sorting.tsx'
import { Button } from '../../parts/page/button.tsx'
import { routingWords } from '../../words/connections/routing.ts'
import { retriableCodes } from './condition-fields.ts'
import type { Action, Flow } from './flows.ts'
import {
  type Attempt,
  type Instrument,
  instruments,
  type Outcome,
  type RequiredField,
  requiredFields,
} from './outcome.ts'

const words = routingWords.outcome

interface EditorProps {
  outcome: Outcome
  onChange: (outcome: Outcome) => void
  /** By JSON pointer. */
  problems: Readonly<Record<string, string>>
}

/** What a rule does, by its action. */
export function OutcomeEditor({
  flow,
  action,
  services,
  ...editor
}: EditorProps & { flow: Flow; action: Action; services: readonly PaymentService[] }): ReactNode {
  switch (action) {
    case 'route-transaction':
      return <RouteEditor {...editor} flow={flow} services={services} />
    case 'decline-early':
      return (
        <TextField
          label={words.code}
          hint={words.codeHint}
          value={editor.outcome.errorCode}
          maxLength={255}
          onChange={(errorCode) => editor.onChange({ ...editor.outcome, errorCode })}
          problem={editor.problems['/outcome/error_code']}
        />
      )
    case 'skip-3ds':
      return <p className="text-sm text-ink-2">{words.skip}</p>
    case 'select-payment-options':
      return <OptionsEditor {...editor} />
  }
}

type Choice = readonly [value: string, text: string]

function RouteEditor({
  outcome,
  onChange,
  problems,
  flow,
  services,
}: EditorProps & { flow: Flow; services: readonly PaymentService[] }): ReactNode {
  const isForCards = flow === 'card-transaction'
  const choices: Choice[] = services
    .filter(({ method }) => (method === 'card') === isForCards)
    .map(({ id, display_name }) => [id, display_name])
  const { attempts, shares, retryOn, maximum } = outcome
  const isSplit = shares.length > 0
  const sum = Math.round(shares.reduce((total, { percent }) => total + percent * 100, 0)) / 100
  const first = (): Attempt => ({ service: choices[0]?.[0] ?? '', instrument: '' })
  if (choices.length === 0 && attempts.length === 0 && !isSplit)
    return <p className="text-sm text-ink-3">{words.noServices}</p>
  return (
    <div className="grid gap-4">
      <div className="max-w-sm">
        <SelectField
          label={words.how}
          value={isSplit ? 'split' : 'order'}
          onChange={(how) =>
            onChange({
              ...outcome,
              shares:
                how === 'split'
                  ? [
                      { percent: 90, attempts: attempts.length > 0 ? attempts : [first()] },
                      { percent: 10, attempts: [first()] },
                    ]
                  : [],
              attempts: how === 'split' ? [] : (shares[0]?.attempts ?? [first()]),
            })
          }
          options={[
            ['order', words.inOrder],
            ['split', words.split],
          ]}
        />
      </div>
      {isSplit ? (
        <>
          {shares.map((share, index) => {
            const set = (next: Partial<typeof share>) =>
              onChange({ ...outcome, shares: shares.with(index, { ...share, ...next }) })
            return (
              <fieldset
                // biome-ignore lint/suspicious/noArrayIndexKey: shares have no identity but their place
                key={index}
                className="grid gap-3 rounded-md border border-line p-3"
              >
                <legend className="px-1 text-sm font-medium">{words.share(index + 1)}</legend>
                <div className="flex items-start gap-2">
                  <div className="w-32">
                    <TextField
                      label={words.percent}
                      type="number"
                      min={0}
                      max={100}
                      step={0.01}
                      value={String(share.percent)}
                      onChange={(percent) => set({ percent: Number(percent) })}
                      problem={problems[`/outcome/split/${index}/percent`]}
                    />
                  </div>
                  {shares.length > 1 && (
                    <Remove
                      label={words.removeShare(index + 1)}
                      onClick={() => onChange({ ...outcome, shares: shares.toSpliced(index, 1) })}
                    />
                  )}
                </div>
                <AttemptsEditor
                  attempts={share.attempts}
                  choices={choices}
                  hasInstruments={isForCards}
                  onChange={(next) => set({ attempts: next })}
                  problems={problems}
                  pointer={`/outcome/split/${index}/attempts`}
                />
              </fieldset>
            )
          })}
          <p role="status" className={`text-sm ${sum === 100 ? 'text-ink-3' : 'text-bad'}`}>
            {words.sum(String(sum))}. {sum !== 100 && words.sumWrong}
          </p>
          {shares.length < 10 && (
            <Button
              className="justify-self-start"
              onClick={() =>
                onChange({
                  ...outcome,
                  shares: [...shares, { percent: Math.max(0, 100 - sum), attempts: [first()] }],
                })
              }
            >
              {words.addShare}
            </Button>
          )}
        </>
      ) : (
        <AttemptsEditor
          attempts={attempts}
          choices={choices}
          hasInstruments={isForCards}
          onChange={(next) => onChange({ ...outcome, attempts: next })}
          problems={problems}
          pointer="/outcome/attempts"
        />
      )}
      <fieldset className="grid gap-3 sm:grid-cols-2">
        <legend className="mb-2 font-medium">{words.retries}</legend>
        <ChoicesField
          label={words.retryOn}
          options={retriableCodes.map((code) => [code, readable(code)])}
          values={retryOn}
          noneText={words.retryAll}
          onChange={(next) => onChange({ ...outcome, retryOn: next })}
          problem={Object.entries(problems).find(([at]) => at.startsWith('/outcome/retries/on'))?.[1]}
        />
        <TextField
          label={words.maximum}
          hint={words.maximumHint}
          optional
          type="number"
          min={0}
          max={20}
          value={maximum === undefined ? '' : String(maximum)}
          onChange={(next) => onChange({ ...outcome, maximum: next === '' ? undefined : Number(next) })}
          problem={problems['/outcome/retries/maximum']}
        />
      </fieldset>
    </div>
  )
}

const Remove = ({ label, onClick }: { label: string; onClick: () => void }): ReactNode => (
  <button
    type="button"
    aria-label={label}
    className="mt-6 grid size-8 place-items-center rounded-sm text-ink-3 hover:bg-quiet-soft hover:text-ink pointer-coarse:size-11"
    onClick={onClick}
  >
    <X aria-hidden size={14} />
  </button>
)

/** The payment services to try, in order. */
function AttemptsEditor({
  attempts,
  choices,
  hasInstruments,
  onChange,
  problems,
  pointer,
}: {
  attempts: readonly Attempt[]
  choices: readonly Choice[]
  hasInstruments: boolean
  onChange: (attempts: Attempt[]) => void
  problems: Readonly<Record<string, string>>
  pointer: string
}): ReactNode {
  return (
    <div className="grid gap-3">
      {attempts.map((attempt, index) => {
        const set = (next: Partial<Attempt>) => onChange(attempts.with(index, { ...attempt, ...next }))
        const isKnown = choices.some(([id]) => id === attempt.service)
        return (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: attempts have no identity but their place
            key={index}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-2 sm:flex"
          >
            <div className="grid flex-1 gap-2 sm:grid-cols-2">
              <SelectField
                label={words.attempt(index + 1)}
                value={attempt.service}
                onChange={(service) => set({ service })}
                options={[
                  ...(isKnown
                    ? []
                    : [
                        [
                          attempt.service,
                          attempt.service ? routingWords.text.unknownService(attempt.service) : words.choose,
                        ] as const,
                      ]),
                  ...choices,
                ]}
                problem={
                  problems[`${pointer}/${index}/payment_service_id`] ?? problems[`${pointer}/${index}`]
                }
              />
              {hasInstruments && (
                <SelectField
                  label={words.instrument(index + 1)}
                  value={attempt.instrument}
                  onChange={(instrument) => set({ instrument: instrument as Instrument | '' })}
                  options={[['', words.best], ...instruments.map((each) => [each, words[each]] as const)]}
                  problem={problems[`${pointer}/${index}/instrument`]}
                />
              )}
            </div>
            <span className="flex items-start">
              {attempts.length > 1 && (
                <>
                  <span className="mt-6 flex">
                    <MoveButtons
                      name={words.attempt(index + 1)}
                      index={index}
                      count={attempts.length}
                      onMove={(from, to) => onChange(moved(attempts, from, to))}
                    />
                  </span>
                  <Remove
                    label={words.removeAttempt(index + 1)}
                    onClick={() => onChange(attempts.toSpliced(index, 1))}
                  />
                </>
              )}
            </span>
          </div>
        )
      })}
      {attempts.length < 20 && (
        <Button
          className="justify-self-start"
          onClick={() => {
            const free = choices.find(([id]) => !attempts.some(({ service }) => service === id))
            onChange([...attempts, { service: free?.[0] ?? choices[0]?.[0] ?? '', instrument: '' }])
          }}
        >
          {words.addAttempt}
        </Button>
      )}
    </div>
  )
}

function OptionsEditor({ outcome, onChange, problems }: EditorProps): ReactNode {
  const known = useMethods()
  const { methods, required } = outcome
  const set = (next: string[]) => onChange({ ...outcome, methods: next })
  return (
    <div className="grid gap-4">
      <fieldset className="grid gap-2">
        <legend className="font-medium">{words.methods}</legend>
        <p className="text-xs text-ink-3">{words.methodsHint}</p>
        {methods.map((method, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: methods have no identity but their place
          <div key={index} className="flex items-start gap-2">
            <div className="flex-1">
              <SelectField
                label={words.method(index + 1)}
                value={method}
                onChange={(next) => set(methods.with(index, next))}
                options={[...new Set([method, ...known])].map((each) => [each, readable(each)])}
                problem={problems[`/outcome/methods/${index}`]}
              />
            </div>
            <span className="mt-6 flex">
              <MoveButtons
                name={words.method(index + 1)}
                index={index}
                count={methods.length}
                onMove={(from, to) => set(moved(methods, from, to))}
              />
            </span>
            <Remove label={words.removeMethod(index + 1)} onClick={() => set(methods.toSpliced(index, 1))} />
          </div>
        ))}
        <Button
          className="justify-self-start"
          onClick={() => {
            const free = ['card', ...known].find((each) => !methods.includes(each))
            if (free) set([...methods, free])
          }}
        >
          {words.addMethod}
        </Button>
      </fieldset>
      <ChoicesField
        label={words.required}
        options={requiredFields.map((name) => [name, routingWords.required[name]])}
        values={required}
        onChange={(next) => onChange({ ...outcome, required: next as RequiredField[] })}
        problem={problems['/outcome']}
      />
    </div>
  )
}
