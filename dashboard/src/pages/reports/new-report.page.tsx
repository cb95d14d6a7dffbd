import type { ReportCreate } from '@railyard/client'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { SelectField, TextArea, TextField } from '../../parts/forms/field.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Card, Page as Layout } from '../../parts/page/layout.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { reportWords as words } from '../../words/finance/reports.ts'
import { ColumnChoice, PaymentFilters, PeriodChoice } from './report-content.tsx'
import { usualFields } from './report-fields.ts'
import { type Draft, type Model, paramsOf, type Schedule, usualSpan, windowOf } from './report-params.ts'

const models = Object.keys(words.models) as Model[]
const schedules = Object.keys(words.schedules) as Schedule[]
const zones = ['Etc/UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

const firstDraft: Draft = {
  fields: usualFields,
  time: 'created_at',
  span: usualSpan('once'),
  from: '',
  to: '',
  filters: {},
  sortField: '',
  sortOrder: 'asc',
}

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [model, setModel] = useState<Model>('transactions')
  const [schedule, setSchedule] = useState<Schedule>('once')
  const [zone, setZone] = useState(zones.includes(ownZone) ? ownZone : 'Etc/UTC')
  const [draft, setDraft] = useState(firstDraft)
  const [problem, setProblem] = useState<string>()
  const create = useAction({
    run: (api, input: ReportCreate) => api.reports.create(input),
    onDone: ({ id }) => {
      say(words.created)
      navigate(`/${account}/reports/${id}`)
    },
    changes: [['reports'], ['report-executions']],
  })
  const problems = problemsOf(create.error)
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))

  const send = (event: FormEvent) => {
    event.preventDefault()
    const window = windowOf(draft)
    const found =
      model === 'transactions' && draft.fields.length === 0
        ? words.fieldsProblem
        : model !== 'ai_insights' && window && !window.start && !window.end
          ? words.customProblem
          : undefined
    setProblem(found)
    if (found) return
    create.mutate({
      name,
      ...(description && { description }),
      schedule,
      schedule_enabled: schedule !== 'once',
      schedule_timezone: zone,
      spec: { model, params: paramsOf(model, draft) } as ReportCreate['spec'],
    })
  }
  return (
    <Layout title={words.newTitle} above={[{ text: words.title, to: `/${account}/reports` }]}>
      <form onSubmit={send} noValidate className="max-w-3xl">
        <Card title={words.what}>
          <div className="grid gap-4">
            <TextField
              label={words.name}
              maxLength={100}
              required
              value={name}
              onChange={setName}
              problem={problems['/name']}
            />
            <TextArea
              label={words.description}
              optional
              rows={2}
              maxLength={1000}
              value={description}
              onChange={setDescription}
              problem={problems['/description']}
            />
            <SelectField
              label={words.model}
              hint={words.modelTexts[model]}
              value={model}
              options={models.map((each) => [each, words.models[each] ?? each])}
              onChange={(next) => {
                setModel(next as Model)
                // the other models need a period
                if (draft.span === 'all') change({ span: usualSpan(schedule) })
              }}
            />
          </div>
        </Card>
        <Card title={words.when}>
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label={words.schedule}
              value={schedule}
              options={schedules.map((each) => [each, words.schedules[each] ?? each])}
              onChange={(next) => {
                setSchedule(next as Schedule)
                change({ span: usualSpan(next as Schedule) })
              }}
            />
            <SelectField
              label={words.zone}
              hint={words.zoneHint}
              value={zone}
              options={zones.map((each) => [each, each])}
              onChange={setZone}
              problem={problems['/schedule_timezone']}
            />
          </div>
        </Card>
        {model !== 'ai_insights' && <PeriodChoice model={model} draft={draft} onChange={change} />}
        {model === 'transactions' && (
          <>
            <ColumnChoice draft={draft} onChange={change} />
            <PaymentFilters draft={draft} onChange={change} problems={problems} />
          </>
        )}
        <div className="grid gap-3">
          {problem && (
            <p role="alert" className="text-sm text-bad">
              {problem}
            </p>
          )}
          {create.error && <ErrorNotice error={create.error} />}
          <div className="flex justify-end gap-2">
            <ButtonLink to={`/${account}/reports`}>{commonWords.cancel}</ButtonLink>
            <Button type="submit" look="primary" busy={create.isPending}>
              {words.create}
            </Button>
          </div>
        </div>
      </form>
    </Layout>
  )
}
