import type { MetricsExplorerPreset, MetricsExplorerPresetCreate, Railyard } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import type { Source } from '../../api/metrics.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { Dialog, FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { TextField } from '../../parts/forms/field.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useMay } from '../../session/signed-in.ts'
import { insightWords as words } from '../../words/finance/insights.ts'
import { type Question, queryOf } from './question.ts'

const changes = [['metrics-explorer', 'presets']]

interface PresetProps {
  question: Question
  currency: string | undefined
}

/** Questions that people have saved for all who may ask. */
export function Presets(props: PresetProps): ReactNode {
  const mayWrite = useMay('metrics-explorer.write')
  const dialog = useDialog<'list' | 'save'>()
  return (
    <>
      <Button onClick={() => dialog.open('list')}>{words.presets}</Button>
      {mayWrite && <Button onClick={() => dialog.open('save')}>{words.savePreset}</Button>}
      {dialog.about === 'list' && <PresetList onClose={dialog.close} />}
      {dialog.about === 'save' && <SaveDialog {...props} onClose={dialog.close} />}
    </>
  )
}

/** The address of a preset, which keeps the breakdown that is shown. */
function addressOf({ source, metric, filters }: MetricsExplorerPreset, by: string | null): string {
  const { datetime_range: range, ...others } = filters
  const params = new URLSearchParams([
    ['source', source],
    ['metric', metric],
    ...(typeof range === 'string' ? [['range', range]] : []),
    ...(by === null ? [] : [['by', by]]),
    ...Object.entries(others).flatMap(([name, values]) => [values].flat().map((value) => [name, value])),
  ])
  return `?${params}`
}

const sources = Object.keys(words.sources) as Source[]
const sourceNames: Readonly<Record<string, string | undefined>> = words.sources

function PresetList({ onClose }: { onClose: () => void }): ReactNode {
  const mayWrite = useMay('metrics-explorer.write')
  const [params] = useSearchParams()
  const dialog = useDialog<{ action: 'rename' | 'delete'; preset: MetricsExplorerPreset }>()
  const query = useLoad(['metrics-explorer', 'presets'], async (api, signal) => {
    const ofSources = sources.map((source) => api.metricsExplorer.presets.list(source, { signal }).page())
    return (await Promise.all(ofSources)).flat()
  })
  if (dialog.about?.action === 'rename')
    return <RenameDialog preset={dialog.about.preset} onClose={dialog.close} />
  if (dialog.about?.action === 'delete')
    return <DeleteDialog preset={dialog.about.preset} onClose={dialog.close} />
  return (
    <Dialog open onClose={onClose} title={words.presets}>
      <div className="mt-4">
        <Loaded query={query}>
          {(presets) =>
            presets.length === 0 ? (
              <Empty title={words.noPresets}>{words.noPresetsText}</Empty>
            ) : (
              <ul>
                {presets.map((preset) => {
                  const { id, display_name: name } = preset
                  return (
                    <li
                      key={id}
                      className="flex flex-wrap items-center gap-x-1 border-t border-line py-1 first:border-t-0"
                    >
                      <Link
                        className="mr-auto min-w-0 break-words underline"
                        to={addressOf(preset, params.get('by'))}
                        onClick={onClose}
                      >
                        {name}
                        {preset.source !== 'authorization' &&
                          ` (${sourceNames[preset.source] ?? preset.source})`}
                      </Link>
                      {mayWrite && (
                        <>
                          <Button
                            look="quiet"
                            aria-label={words.renameNamed(name)}
                            onClick={() => dialog.open({ action: 'rename', preset })}
                          >
                            {words.renamePreset}
                          </Button>
                          <Button
                            look="quiet"
                            aria-label={words.deleteNamed(name)}
                            onClick={() => dialog.open({ action: 'delete', preset })}
                          >
                            {words.deletePreset}
                          </Button>
                        </>
                      )}
                    </li>
                  )
                })}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Dialog>
  )
}

const SaveDialog = ({ question, currency, onClose }: PresetProps & { onClose: () => void }): ReactNode => (
  <NameDialog
    title={words.savePreset}
    text={words.savePresetText}
    current=""
    run={(api, display_name) =>
      api.metricsExplorer.presets.create(question.source, {
        display_name,
        metric: question.metric,
        filters: queryOf(question, currency) as MetricsExplorerPresetCreate['filters'],
      })
    }
    done={words.presetSaved}
    onClose={onClose}
  />
)

interface OfPreset {
  preset: MetricsExplorerPreset
  onClose: () => void
}

const RenameDialog = ({ preset, onClose }: OfPreset): ReactNode => (
  <NameDialog
    title={words.renamePreset}
    current={preset.display_name}
    run={(api, display_name) =>
      api.metricsExplorer.presets.update(preset.source, preset.id, { display_name })
    }
    done={words.presetRenamed}
    onClose={onClose}
  />
)

interface NameDialogProps {
  title: string
  text?: string
  /** The name that the field begins with. */
  current: string
  run: (api: Railyard, name: string) => Promise<MetricsExplorerPreset>
  /** What is said once it is done. */
  done: string
  onClose: () => void
}

/** Asks for the name of a preset. */
function NameDialog({ title, text, current, run, done, onClose }: NameDialogProps): ReactNode {
  const say = useSay()
  const [name, setName] = useState(current)
  const save = useAction({
    run: (api, entered: string) => run(api, entered),
    onDone: () => {
      say(done)
      onClose()
    },
    changes,
  })
  return (
    <FormDialog
      open
      onClose={onClose}
      title={title}
      text={text}
      submit={title}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(name)}
    >
      <TextField
        label={words.presetName}
        maxLength={255}
        value={name}
        onChange={setName}
        problem={problemsOf(save.error)['/display_name']}
      />
    </FormDialog>
  )
}

const DeleteDialog = ({ preset, onClose }: OfPreset): ReactNode => (
  <ConfirmDialog
    title={words.deletePreset}
    text={words.deletePresetText(preset.display_name)}
    done={words.presetDeleted}
    danger
    run={(api) => api.metricsExplorer.presets.delete(preset.source, preset.id)}
    changes={changes}
    onClose={onClose}
  />
)
