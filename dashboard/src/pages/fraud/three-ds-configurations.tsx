import type { MerchantAccountThreeDSConfiguration } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { every } from '../../api/every.ts'
import { useAction, useList } from '../../api/use-api.ts'
import { type CardScheme, cardSchemes } from '../../format/card-schemes.ts'
import { currencyCodes, nameCurrency, readable } from '../../format/names.ts'
import { linesOfPairs, readPairs } from '../../format/pairs.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { SelectField, TextArea } from '../../parts/forms/field.tsx'
import {
  type MerchantProfile,
  MerchantProfileFields,
  profileOf,
} from '../../parts/forms/merchant-profile-fields.tsx'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { fraudWords } from '../../words/connections/fraud.ts'
import { TabIntro } from './tab-intro.tsx'

const words = fraudWords.configurations

type Configuration = MerchantAccountThreeDSConfiguration

interface Input extends MerchantProfile {
  scheme: CardScheme
  currency: string | null
  metadata: Record<string, string>
}

/** Under which names the merchant account asks card schemes to authenticate cardholders. */
export function Configurations(): ReactNode {
  const { account } = useSignedIn()
  const may = useMay('merchant-accounts.write')
  const say = useSay()
  const editing = useDialog<Configuration | 'new'>()
  const deleting = useDialog<Configuration>()
  const query = useList(['three-ds-configurations'], async (api, _, signal) => ({
    items: await every(api.merchantAccounts.threeDsConfigurations.list(account, {}, { signal })),
  }))
  const save = useAction({
    run: (api, { id, ...input }: Input & { id: string | undefined }): Promise<unknown> =>
      id
        ? api.merchantAccounts.threeDsConfigurations.update(account, id, input)
        : api.merchantAccounts.threeDsConfigurations.create(account, input),
    onDone: () => {
      say(words.saved)
      editing.close()
    },
    changes: [['three-ds-configurations']],
  })
  const edit = (about: Configuration | 'new') => {
    save.reset()
    editing.open(about)
  }
  const columns: Column<Configuration>[] = [
    { id: 'scheme', header: words.scheme, cell: ({ scheme }) => readable(scheme) },
    {
      id: 'currency',
      header: words.currency,
      cell: ({ currency }) => currency ?? <span className="text-ink-3">{words.anyCurrency}</span>,
    },
    { id: 'merchant', header: words.merchant, cell: ({ merchant_name }) => merchant_name },
    {
      id: 'acquirer',
      header: words.acquirer,
      wide: true,
      cell: ({ merchant_acquirer_id }) => <code className="font-mono text-sm">{merchant_acquirer_id}</code>,
    },
    {
      id: 'country',
      header: words.country,
      wide: true,
      cell: ({ merchant_country_code }) => merchant_country_code,
    },
    {
      id: 'metadata',
      header: words.metadata,
      wide: true,
      cell: ({ metadata }) => linesOfPairs(metadata).join(', '),
    },
    ...(may
      ? [
          {
            id: 'actions',
            header: commonWords.actions,
            align: 'end',
            cell: (configuration: Configuration) => {
              const names = [readable(configuration.scheme), configuration.merchant_name] as const
              return (
                <>
                  <Button
                    look="quiet"
                    aria-label={words.editOf(...names)}
                    onClick={() => edit(configuration)}
                  >
                    {commonWords.edit}
                  </Button>
                  <Button
                    look="quiet"
                    aria-label={words.deleteOf(...names)}
                    onClick={() => deleting.open(configuration)}
                  >
                    {commonWords.delete}
                  </Button>
                </>
              )
            },
          } satisfies Column<Configuration>,
        ]
      : []),
  ]
  return (
    <>
      <TabIntro text={words.text}>
        {may && (
          <Button look="primary" onClick={() => edit('new')}>
            {words.add}
          </Button>
        )}
      </TabIntro>
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
      {editing.about && (
        <ConfigurationDialog
          configuration={editing.about === 'new' ? undefined : editing.about}
          busy={save.isPending}
          error={save.error}
          onClose={editing.close}
          onSave={(input) =>
            save.mutate({ ...input, id: editing.about === 'new' ? undefined : editing.about?.id })
          }
        />
      )}
      {deleting.about && <DeleteDialog configuration={deleting.about} onClose={deleting.close} />}
    </>
  )
}

function DeleteDialog({
  configuration: { id, scheme, merchant_name },
  onClose,
}: {
  configuration: Configuration
  onClose: () => void
}): ReactNode {
  const { account } = useSignedIn()
  return (
    <ConfirmDialog
      danger
      title={words.deleteOf(readable(scheme), merchant_name)}
      submit={commonWords.delete}
      text={words.deleteText}
      done={words.deleted}
      run={(api) => api.merchantAccounts.threeDsConfigurations.delete(account, id)}
      changes={[['three-ds-configurations']]}
      onClose={onClose}
    />
  )
}

function ConfigurationDialog({
  configuration,
  busy,
  error,
  onClose,
  onSave,
}: {
  configuration: Configuration | undefined
  busy: boolean
  error: unknown
  onClose: () => void
  onSave: (input: Input) => void
}): ReactNode {
  const [scheme, setScheme] = useState<string>(configuration?.scheme ?? 'visa')
  const [currency, setCurrency] = useState(configuration?.currency ?? '')
  const [profile, setProfile] = useState(profileOf(configuration))
  const before = configuration?.metadata ?? {}
  const [metadata, setMetadata] = useState(linesOfPairs(before).join('\n'))
  const problems = problemsOf(error)
  const parsed = readPairs(metadata, before)
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={configuration ? words.edit : words.add}
      submit={commonWords.save}
      busy={busy}
      error={error}
      onSubmit={() => {
        if (parsed)
          onSave({ ...profile, scheme: scheme as CardScheme, currency: currency || null, metadata: parsed })
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={words.scheme}
          value={scheme}
          onChange={setScheme}
          options={cardSchemes.map((each) => [each, readable(each)])}
          problem={problems['/scheme']}
        />
        <SelectField
          label={words.currency}
          value={currency}
          onChange={setCurrency}
          options={[
            ['', words.anyCurrency],
            ...currencyCodes().map((code) => [code, nameCurrency(code)] as const),
          ]}
          problem={problems['/currency']}
        />
        <MerchantProfileFields
          value={profile}
          onChange={setProfile}
          problemOf={(member) => problems[`/${member}`]}
        />
      </div>
      <TextArea
        label={words.metadata}
        hint={words.metadataHint}
        optional
        rows={3}
        value={metadata}
        onChange={setMetadata}
        problem={parsed ? problems['/metadata'] : words.metadataWrong}
      />
    </FormDialog>
  )
}
