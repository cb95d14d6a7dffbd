import type { MonitoringMetric, MonitoringMetricCreate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { useMethods } from '../../api/use-methods.ts'
import { useServiceNames } from '../../api/use-service-names.ts'
import { cardSchemes } from '../../format/card-schemes.ts'
import { readable } from '../../format/names.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { ChoicesField } from '../../parts/forms/choices-field.tsx'
import { CheckField, SelectField, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { commonWords } from '../../words/common.ts'
import { monitoringWords } from '../../words/finance/monitoring.ts'

const words = monitoringWords.form

/** A share as a person types it in per cent; undefined: the text is none. */
function shareOf(typed: string): number | null | undefined {
  if (typed.trim() === '') return null
  const percent = Number(typed.replace(',', '.'))
  // a hundredth of what was typed, without what binary fractions add
  return percent >= 0 && percent <= 100 ? Number((percent / 100).toFixed(6)) : undefined
}

const percentOf = (share: number | string | null | undefined): string =>
  share === null || share === undefined ? '' : String(Number((Number(share) * 100).toFixed(4)))

const listOf = (typed: string): string[] | null => {
  const values = typed
    .split(',')
    .map((value) => value.trim())
    .filter(Boolean)
  return values.length > 0 ? values : null
}

const firstForm = {
  name: '',
  minutes: '15',
  service: '',
  methods: [] as readonly string[],
  schemes: [] as readonly string[],
  bin: '',
  below: '80',
  above: '',
  opens: true,
  createAfter: '3',
  closeAfter: '3',
}
type Form = typeof firstForm

const formOf = ({ display_name, alerting_policy, incident_policy }: MonitoringMetric): Form => ({
  ...firstForm,
  name: display_name,
  below: percentOf(alerting_policy?.params.alert_lt),
  above: percentOf(alerting_policy?.params.alert_gt),
  opens: incident_policy !== null,
  createAfter: String(incident_policy?.params.create_after_n ?? firstForm.createAfter),
  closeAfter: String(incident_policy?.params.close_after_n ?? firstForm.closeAfter),
})

function bodyOf(form: Form): MonitoringMetricCreate {
  const [alert_lt, alert_gt] = [shareOf(form.below), shareOf(form.above)]
  const hasThreshold = typeof alert_lt === 'number' || typeof alert_gt === 'number'
  return {
    display_name: form.name,
    alerting_policy: hasThreshold
      ? { strategy: 'threshold', params: { alert_lt: alert_lt ?? null, alert_gt: alert_gt ?? null } }
      : null,
    incident_policy:
      hasThreshold && form.opens
        ? {
            strategy: 'debouncing',
            params: { create_after_n: Number(form.createAfter), close_after_n: Number(form.closeAfter) },
          }
        : null,
    spec: {
      model: 'auth_rate',
      params: {
        filters: {
          datetime_range: `PT${form.minutes}M/now`,
          payment_service_id: form.service ? [form.service] : null,
          method: form.methods.length > 0 ? form.methods : null,
          payment_method_scheme: form.schemes.length > 0 ? form.schemes : null,
          payment_method_bin: listOf(form.bin),
        },
      },
    } as MonitoringMetricCreate['spec'],
  }
}

/** Watches a metric, or changes the name and the policies of one. */
export function MetricDialog({
  metric,
  onClose,
}: {
  metric?: MonitoringMetric
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const services = useServiceNames()
  const methods = useMethods()
  const [form, setForm] = useState(metric ? formOf(metric) : firstForm)
  const save = useAction({
    run: (api, { spec, ...settings }: MonitoringMetricCreate) =>
      metric
        ? api.monitoring.metrics.update(metric.id, settings)
        : api.monitoring.metrics.create({ spec, ...settings }),
    onDone: () => {
      say(metric ? monitoringWords.edited : monitoringWords.created)
      onClose()
    },
    changes: [['monitoring']],
  })
  const problems = problemsOf(save.error)
  const problemOf = (name: string) =>
    Object.entries(problems).find(([pointer]) => pointer.includes(`/${name}`))?.[1]
  const choices = (name: 'methods' | 'schemes') => ({
    label: words[name],
    noneText: words.allPayments,
    values: form[name],
    onChange: (values: string[]) => setForm((before) => ({ ...before, [name]: values })),
  })
  const field = (name: Exclude<keyof Form, 'opens' | 'methods' | 'schemes'>) => ({
    label: words[name],
    value: form[name],
    onChange: (value: string) => setForm((before) => ({ ...before, [name]: value })),
  })
  const percent = (name: 'below' | 'above', member: string) => ({
    ...field(name),
    inputMode: 'decimal' as const,
    problem: shareOf(form[name]) === undefined ? words.percentProblem : problemOf(member),
  })
  const samples = (name: 'createAfter' | 'closeAfter', member: string) => ({
    ...field(name),
    type: 'number',
    min: 1,
    max: 10,
    hint: words.samplesHint,
    problem: problemOf(member),
  })
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={metric ? monitoringWords.editTitle : monitoringWords.create}
      text={metric && monitoringWords.editText}
      submit={metric ? commonWords.save : monitoringWords.create}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => {
        if (shareOf(form.below) !== undefined && shareOf(form.above) !== undefined) save.mutate(bodyOf(form))
      }}
    >
      <TextField {...field('name')} maxLength={200} problem={problemOf('display_name')} />
      {!metric && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            {...field('minutes')}
            type="number"
            min={5}
            max={60}
            hint={words.minutesHint}
            problem={problemOf('datetime_range')}
          />
          <SelectField {...field('service')} options={[['', commonWords.any], ...services]} />
          <ChoicesField
            {...choices('methods')}
            options={methods.map((each) => [each, readable(each)])}
            problem={problemOf('method')}
          />
          <ChoicesField
            {...choices('schemes')}
            options={cardSchemes.map((each) => [each, readable(each)])}
            problem={problemOf('payment_method_scheme')}
          />
          <TextField
            {...field('bin')}
            optional
            hint={words.several}
            problem={problemOf('payment_method_bin')}
          />
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField {...percent('below', 'alert_lt')} />
        <TextField {...percent('above', 'alert_gt')} />
      </div>
      <CheckField
        label={words.opensIncident}
        hint={words.opensIncidentHint}
        checked={form.opens}
        onChange={(opens) => setForm((before) => ({ ...before, opens }))}
      />
      {form.opens && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField {...samples('createAfter', 'create_after_n')} />
          <TextField {...samples('closeAfter', 'close_after_n')} />
        </div>
      )}
    </FormDialog>
  )
}
