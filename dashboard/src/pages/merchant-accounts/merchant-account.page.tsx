import type { MerchantAccount, MerchantAccountUpdate } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useParams } from 'react-router'
import { problemsOf } from '../../api/client.ts'
import { isSandbox } from '../../api/place.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../parts/forms/field.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Card, Detail, Details, Heading, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { merchantAccountWords as words } from '../../words/settings/merchant-accounts.ts'
import { type Group, type Kind, membersOf, parsed, type SettingName, typed } from './members.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const mayWrite = useMay('merchant-accounts.write')
  const dialog = useDialog<Group>()
  const query = useLoad(['merchant-accounts', id], (api, signal) => api.merchantAccounts.get(id, { signal }))
  const card = (merchant: MerchantAccount, group: Group) => (
    <Card
      title={words.groups[group]}
      aside={
        mayWrite && (
          <Button
            aria-label={`${commonWords.edit}: ${words.groups[group]}`}
            onClick={() => dialog.open(group)}
          >
            {commonWords.edit}
          </Button>
        )
      }
    >
      <Settings merchant={merchant} group={group} />
    </Card>
  )
  return (
    <Loaded query={query} title={words.title} lines={8}>
      {(merchant) => (
        <Layout
          title={merchant.display_name}
          above={[{ text: words.title, to: `/${account}/merchant-accounts` }]}
          heading={
            <Heading>
              {merchant.display_name} {id === account && <Tag tone="info">{words.current}</Tag>}
            </Heading>
          }
          actions={id !== account && <ButtonLink to={`/${id}`}>{words.switchTo}</ButtonLink>}
        >
          <div className="grid items-start gap-x-6 lg:grid-cols-2">
            <div>
              {card(merchant, 'general')}
              <Origins id={id} mayWrite={mayWrite} />
              {card(merchant, 'updater')}
            </div>
            <div>{card(merchant, 'networkTokens')}</div>
          </div>
          {dialog.about && <SettingsForm merchant={merchant} group={dialog.about} onClose={dialog.close} />}
        </Layout>
      )}
    </Loaded>
  )
}

/** A setting as it is read; undefined: it is not set. */
function shown(merchant: MerchantAccount, member: SettingName, kind: Kind): string | undefined {
  const value = merchant[member]
  if (kind === 'switch') return value ? commonWords.yes : commonWords.no
  if (kind === 'intent') return merchant.payment_link_intent ?? words.intents['']
  if (kind === 'secret') return value ? words.isSet : undefined
  return typed(value) || undefined
}

const Settings = ({ merchant, group }: { merchant: MerchantAccount; group: Group }): ReactNode => (
  <Details>
    {group === 'general' && (
      <>
        <Detail name={words.columns.id}>
          <CopyText text={merchant.id} />
        </Detail>
        <Detail name={words.columns.created}>
          <Time at={merchant.created_at} form="both" />
        </Detail>
      </>
    )}
    {membersOf(group).map(([member, kind]) => {
      return (
        <Detail key={member} name={words.members[member]}>
          {shown(merchant, member, kind) ?? <span className="text-ink-3">{words.notSet}</span>}
        </Detail>
      )
    })}
  </Details>
)

function SettingsForm({
  merchant,
  group,
  onClose,
}: {
  merchant: MerchantAccount
  group: Group
  onClose: () => void
}): ReactNode {
  const { reload } = useSignedIn()
  const say = useSay()
  const members = membersOf(group)
  const [name, setName] = useState(merchant.display_name)
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(members.map(([member]) => [member, typed(merchant[member])])),
  )
  const save = useAction({
    run: (api) =>
      api.merchantAccounts.update(merchant.id, {
        ...(group === 'general' && { display_name: name.trim() }),
        ...Object.fromEntries(members.map(([member, kind]) => [member, parsed(values[member] ?? '', kind)])),
      } as MerchantAccountUpdate),
    onDone: ({ display_name }) => {
      say(words.saved)
      onClose()
      // the choice of accounts shows its name
      if (display_name !== merchant.display_name) void reload()
    },
    changes: [['merchant-accounts']],
  })
  const problems = problemsOf(save.error)
  return (
    <FormDialog
      open
      wide={group !== 'general'}
      onClose={onClose}
      title={words.groups[group]}
      submit={commonWords.save}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
    >
      {group === 'general' && (
        <TextField
          label={words.members.display_name}
          value={name}
          onChange={setName}
          problem={problems['/display_name']}
        />
      )}
      <div className={`grid gap-4 ${group === 'general' ? '' : 'sm:grid-cols-2'}`}>
        {members.map(([member, kind]) => {
          const label = words.members[member]
          const value = values[member] ?? ''
          const onChange = (next: string) => setValues((before) => ({ ...before, [member]: next }))
          if (kind === 'switch')
            return (
              <div key={member} className="sm:col-span-2">
                <CheckField
                  label={label}
                  checked={value === 'true'}
                  onChange={(checked) => onChange(String(checked))}
                />
              </div>
            )
          const problem = problems[`/${member}`]
          if (kind === 'intent')
            return (
              <SelectField
                key={member}
                label={label}
                value={value}
                onChange={onChange}
                options={Object.entries(words.intents)}
                problem={problem}
              />
            )
          return (
            <TextField
              key={member}
              label={label}
              optional
              type={kind === 'secret' ? 'password' : 'text'}
              autoComplete={kind === 'secret' ? 'new-password' : 'off'}
              inputMode={kind === 'number' ? 'numeric' : undefined}
              hint={hintOf(member, kind, merchant)}
              value={value}
              onChange={onChange}
              problem={problem}
            />
          )
        })}
      </div>
    </FormDialog>
  )
}

function hintOf(member: string, kind: string, merchant: MerchantAccount): string | undefined {
  if (member === 'over_capture_amount') return words.smallestUnit
  if (kind === 'words') return words.schemesHint
  return kind === 'secret' && merchant[member as keyof MerchantAccount] ? words.keepSecret : undefined
}

/** The pages that may show card fields. */
function Origins({ id, mayWrite }: { id: string; mayWrite: boolean }): ReactNode {
  const dialog = useDialog()
  const query = useLoad(['merchant-accounts', id, 'elements'], (api, signal) =>
    api.merchantAccounts.elements.get(id, { signal }),
  )
  return (
    <Card
      title={words.groups.origins}
      aside={
        mayWrite && (
          <Button
            aria-label={`${words.origins.edit}: ${words.groups.origins}`}
            onClick={() => dialog.open(true)}
          >
            {words.origins.edit}
          </Button>
        )
      }
    >
      <p className="mb-2 text-sm text-ink-2">{words.origins.text}</p>
      <Loaded query={query}>
        {({ allowed_origins }) => (
          <>
            {allowed_origins.length === 0 ? (
              <p className="text-sm">{isSandbox ? words.origins.noneSandbox : words.origins.none}</p>
            ) : (
              <ul className="font-mono text-sm break-all">
                {allowed_origins.map((origin) => (
                  <li key={origin}>{origin}</li>
                ))}
              </ul>
            )}
            {dialog.about && <OriginsForm id={id} current={allowed_origins} onClose={dialog.close} />}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function OriginsForm({
  id,
  current,
  onClose,
}: {
  id: string
  current: readonly string[]
  onClose: () => void
}): ReactNode {
  const say = useSay()
  const [text, setText] = useState(current.join('\n'))
  const origins = text.split(/\s+/).filter(Boolean)
  const isLeftOut = current.some((origin) => !origins.includes(origin))
  const save = useAction({
    run: (api) => api.merchantAccounts.elements.update(id, { allowed_origins: origins }),
    onDone: () => {
      say(words.saved)
      onClose()
    },
    changes: [['merchant-accounts']],
  })
  const problem = Object.entries(problemsOf(save.error))
    .map(([pointer, message]) => `${origins[Number(pointer.split('/')[2])] ?? ''} ${message}`.trim())
    .join('. ')
  return (
    <FormDialog
      open
      onClose={onClose}
      title={words.origins.editTitle}
      text={words.origins.text}
      submit={commonWords.save}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
    >
      <TextArea
        label={words.origins.field}
        hint={words.origins.hint}
        value={text}
        onChange={setText}
        problem={problem || undefined}
        spellCheck={false}
      />
      {isLeftOut && <Notice tone="warn">{words.origins.warning}</Notice>}
    </FormDialog>
  )
}
