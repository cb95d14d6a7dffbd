import type { Dispute, DisputeEvidenceCreate, DisputeEvidenceFile } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { Field, TextArea, TextField } from '../../parts/forms/field.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { UnknownOutcome } from '../../parts/messages/unknown-outcome.tsx'
import { Button } from '../../parts/page/button.tsx'
import { disputeWords as words } from '../../words/payments/disputes.ts'

interface TextRow {
  key: string
  subject: string
  text: string
}
interface FileRow {
  key: string
  subject: string
  file?: File
}

const MAX_FILES = 10
/** In base64 they are a third larger, and a request has 6 MiB at most. */
const MAX_BYTES = 4_000_000
const types = ['application/pdf', 'image/jpeg', 'image/png'] as const
type FileType = (typeof types)[number]
const isAllowed = (type: string): type is FileType => types.some((each) => each === type)

/** What is wrong with the rows; undefined: they can be sent. Rows that are empty as a whole are left out. */
function problemOf(texts: readonly TextRow[], files: readonly FileRow[]): string | undefined {
  const problems = words.problems
  if (texts.length + files.length === 0) return problems.empty
  if (texts.some(({ subject, text }) => !subject.trim() || !text.trim())) return problems.half
  if (files.some(({ subject, file }) => !subject.trim() || !file)) return problems.half
  if (new Set(texts.map(({ subject }) => subject.trim())).size < texts.length) return problems.twice
  if (files.length > MAX_FILES) return problems.tooMany
  if (files.some(({ file }) => file && !isAllowed(file.type))) return problems.type
  return files.reduce((sum, { file }) => sum + (file?.size ?? 0), 0) > MAX_BYTES
    ? problems.tooLarge
    : undefined
}

async function evidenceOf(
  texts: readonly TextRow[],
  files: readonly FileRow[],
): Promise<DisputeEvidenceCreate> {
  const read = await Promise.all(
    files.map(async ({ subject, file }): Promise<DisputeEvidenceFile[]> => {
      if (!file || !isAllowed(file.type)) return []
      return [{ subject: subject.trim(), name: file.name, type: file.type, content: await base64Of(file) }]
    }),
  )
  return {
    text: Object.fromEntries(texts.map(({ subject, text }) => [subject.trim(), text.trim()])),
    files: read.flat(),
  }
}

const base64Of = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 8192)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)))
  return btoa(parts.join(''))
}

/** Asks for evidence, and submits it. It can be submitted once. */
export function EvidenceDialog({ dispute, onClose }: { dispute: Dispute; onClose: () => void }): ReactNode {
  const say = useSay()
  const [texts, setTexts] = useState<TextRow[]>([{ key: crypto.randomUUID(), subject: '', text: '' }])
  const [files, setFiles] = useState<FileRow[]>([])
  const [problem, setProblem] = useState<string>()
  const submit = useAction({
    run: (api, evidence: DisputeEvidenceCreate, idempotencyKey) =>
      api.disputes.evidence.submit(dispute.id, evidence, { idempotencyKey }),
    onDone: () => {
      say(words.submitDone)
      onClose()
    },
    changes: [['disputes'], ['transactions']],
  })
  const send = async () => {
    const written = texts.filter(({ subject, text }) => subject.trim() || text.trim())
    const chosen = files.filter(({ subject, file }) => subject.trim() || file)
    const wrong = problemOf(written, chosen)
    setProblem(wrong)
    if (!wrong) submit.mutate(await evidenceOf(written, chosen))
  }
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={words.submitTitle}
      text={words.submitText}
      submit={words.submit}
      busy={submit.isPending}
      error={submit.error}
      onSubmit={() => void send()}
    >
      <fieldset className="grid gap-3">
        <legend className="mb-1 font-medium">{words.texts}</legend>
        {texts.map((row) => {
          const change = (more: Partial<TextRow>) =>
            setTexts((all) => all.map((each) => (each.key === row.key ? { ...each, ...more } : each)))
          return (
            <div key={row.key} className="grid gap-2 sm:grid-cols-[220px_1fr_auto]">
              <TextField
                label={words.subject}
                hint={words.subjectHint}
                value={row.subject}
                onChange={(subject) => change({ subject })}
              />
              <TextArea label={words.text} rows={3} value={row.text} onChange={(text) => change({ text })} />
              <Button
                look="quiet"
                className="self-start justify-self-start sm:mt-6"
                onClick={() => setTexts((all) => all.filter(({ key }) => key !== row.key))}
              >
                {words.remove}
              </Button>
            </div>
          )
        })}
        <Button
          className="justify-self-start"
          onClick={() => setTexts((all) => [...all, { key: crypto.randomUUID(), subject: '', text: '' }])}
        >
          {words.addText}
        </Button>
      </fieldset>
      <fieldset className="grid gap-3">
        <legend className="mb-1 font-medium">{words.files}</legend>
        {files.map((row) => {
          const change = (more: Partial<FileRow>) =>
            setFiles((all) => all.map((each) => (each.key === row.key ? { ...each, ...more } : each)))
          return (
            <div key={row.key} className="grid gap-2 sm:grid-cols-[220px_1fr_auto]">
              <TextField
                label={words.subject}
                hint={words.fileSubjectHint}
                value={row.subject}
                onChange={(subject) => change({ subject })}
              />
              <Field label={words.file} hint={words.fileHint}>
                {(given) => (
                  <input
                    {...given}
                    type="file"
                    accept={types.join(',')}
                    className="w-full min-w-0 text-sm file:mr-3 file:h-8 file:rounded-md file:border file:border-line-strong file:bg-surface file:px-3 file:font-medium"
                    onChange={({ target }) => change({ file: target.files?.[0] })}
                  />
                )}
              </Field>
              <Button
                look="quiet"
                className="self-start justify-self-start sm:mt-6"
                onClick={() => setFiles((all) => all.filter(({ key }) => key !== row.key))}
              >
                {words.remove}
              </Button>
            </div>
          )
        })}
        <Button
          className="justify-self-start"
          onClick={() => setFiles((all) => [...all, { key: crypto.randomUUID(), subject: '' }])}
        >
          {words.addFile}
        </Button>
      </fieldset>
      {problem && (
        <div role="alert">
          <Notice tone="bad">{problem}</Notice>
        </div>
      )}
      <UnknownOutcome error={submit.error} text={words.unknownOutcome} />
    </FormDialog>
  )
}
