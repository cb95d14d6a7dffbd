import type { Report } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useParams } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { useAction, useList, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { TextArea, TextField } from '../../parts/forms/field.tsx'
import { DataTable } from '../../parts/lists/data-table.tsx'
import { Empty, ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Columns, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { CopyText, Json, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { reportWords as words } from '../../words/finance/reports.ts'
import { executionColumns } from './execution-columns.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const mayWrite = useMay('reports.write')
  const query = useLoad(['reports', id], (api, signal) => api.reports.get(id, { signal }))
  const executions = useList(
    ['reports', id, 'executions'],
    (api, cursor, signal) => api.reports.executions.list(id, { cursor, limit: 50 }, { signal }).page(),
    { refresh: 30_000 },
  )
  return (
    <Loaded query={query} title={words.title} lines={12}>
      {(report) => (
        <Layout
          title={report.name}
          above={[{ text: words.title, to: `/${account}/reports` }]}
          heading={
            <Heading>
              <span className="min-w-0 break-words">{report.name}</span>
              {isPaused(report) && <Tag tone="warn">{words.paused}</Tag>}
            </Heading>
          }
          actions={mayWrite && <ReportActions report={report} />}
        >
          <Columns
            main={
              <DataTable
                label={words.executions}
                columns={executionColumns}
                query={executions}
                rowId={(execution) => execution.id}
                empty={<Empty title={words.executionsNone}>{words.executionsNoneText}</Empty>}
              />
            }
            side={<ReportDetails report={report} />}
          />
        </Layout>
      )}
    </Loaded>
  )
}

const isPaused = ({ schedule, schedule_enabled }: Report): boolean => schedule !== 'once' && !schedule_enabled

function ReportDetails({ report }: { report: Report }): ReactNode {
  const { schedule, schedule_enabled, next_execution_at, spec } = report
  const name = words.detail
  return (
    <Card title={words.details}>
      <Details>
        <Detail name={name.id}>
          <CopyText text={report.id} short />
        </Detail>
        <Detail name={name.description}>{report.description}</Detail>
        <Detail name={name.about}>{words.models[spec.model] ?? spec.model}</Detail>
        <Detail name={name.schedule}>{words.schedules[schedule] ?? schedule}</Detail>
        <Detail name={name.next}>
          {schedule_enabled && next_execution_at && <Time at={next_execution_at} form="both" />}
        </Detail>
        <Detail name={name.zone}>{schedule !== 'once' && report.schedule_timezone}</Detail>
        <Detail name={name.creator}>{report.creator_display_name}</Detail>
        <Detail name={name.created}>
          <Time at={report.created_at} form="both" />
        </Detail>
        <Detail name={name.updated}>
          <Time at={report.updated_at} form="both" />
        </Detail>
      </Details>
      <h3 className="mt-4 mb-1 text-sm text-ink-3">{name.params}</h3>
      <Json value={spec.params} />
    </Card>
  )
}

function ReportActions({ report }: { report: Report }): ReactNode {
  const say = useSay()
  const dialog = useDialog<'edit' | 'pause'>()
  const resume = useAction({
    run: (api) => api.reports.update(report.id, { schedule_enabled: true }),
    onDone: () => say(words.resumedNow),
    changes: [['reports']],
  })
  return (
    <>
      {resume.error && <ErrorNotice error={resume.error} />}
      {report.schedule !== 'once' &&
        (report.schedule_enabled ? (
          <Button onClick={() => dialog.open('pause')}>{words.pause}</Button>
        ) : (
          <Button busy={resume.isPending} onClick={() => resume.mutate()}>
            {words.resume}
          </Button>
        ))}
      <Button onClick={() => dialog.open('edit')}>{words.edit}</Button>
      {dialog.about === 'edit' && <EditDialog report={report} onClose={dialog.close} />}
      {dialog.about === 'pause' && (
        <ConfirmDialog
          title={words.pause}
          text={words.pauseText}
          done={words.pausedNow}
          run={(api) => api.reports.update(report.id, { schedule_enabled: false })}
          changes={[['reports']]}
          onClose={dialog.close}
        />
      )}
    </>
  )
}

function EditDialog({ report, onClose }: { report: Report; onClose: () => void }): ReactNode {
  const say = useSay()
  const [name, setName] = useState(report.name)
  const [description, setDescription] = useState(report.description ?? '')
  const save = useAction({
    run: (api, input: { name: string; description: string | null }) => api.reports.update(report.id, input),
    onDone: () => {
      say(words.edited)
      onClose()
    },
    changes: [['reports'], ['report-executions']],
  })
  const problems = problemsOf(save.error)
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.editTitle}
      text={words.editText}
      submit={words.edit}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ name, description: description || null })}
    >
      <TextField
        label={words.name}
        maxLength={100}
        value={name}
        onChange={setName}
        problem={problems['/name']}
      />
      <TextArea
        label={words.description}
        optional
        maxLength={1000}
        value={description}
        onChange={setDescription}
        problem={problems['/description']}
      />
    </FormDialog>
  )
}
