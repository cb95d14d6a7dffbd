import type { ApiKeyPair } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { problemsOf } from '../../api/client.ts'
import { useAction } from '../../api/use-api.ts'
import { FormDialog } from '../../parts/dialogs/dialog.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../parts/forms/field.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { commonWords } from '../../words/common.ts'
import { apiKeyWords } from '../../words/developers/api-keys.ts'
import { AccountsField, RolesField } from '../people/grant-fields.tsx'

const words = apiKeyWords.form

/** Creates a key pair, or changes the one that is given. */
export function ApiKeyForm({
  pair,
  onClose,
  onDone,
}: {
  pair?: ApiKeyPair
  onClose: () => void
  onDone: (pair: ApiKeyPair) => void
}): ReactNode {
  const say = useSay()
  const [name, setName] = useState(pair?.display_name ?? '')
  const [algorithm, setAlgorithm] = useState('ECDSA')
  const [publicKey, setPublicKey] = useState('')
  const [roles, setRoles] = useState(pair?.roles.map(({ id }) => id) ?? [])
  const [accounts, setAccounts] = useState(pair?.merchant_accounts.map(({ id }) => id) ?? [])
  const [isAccountRequired, setAccountRequired] = useState(pair?.merchant_account_required ?? false)
  const save = useAction({
    run: (api) => {
      const body = {
        display_name: name.trim(),
        role_ids: roles,
        merchant_account_ids: accounts,
        merchant_account_required: isAccountRequired,
      }
      if (pair) return api.apiKeyPairs.update(pair.id, body)
      return api.apiKeyPairs.create({
        ...body,
        algorithm: algorithm as 'ECDSA' | 'RSA',
        ...(publicKey.trim() && { public_key: publicKey.trim() }),
      })
    },
    onDone: (result) => {
      say(pair ? apiKeyWords.saved : apiKeyWords.created)
      onDone(result)
    },
    changes: [['api-key-pairs']],
  })
  const problems = problemsOf(save.error)
  return (
    <FormDialog
      open
      wide
      onClose={onClose}
      title={pair ? words.editTitle : words.createTitle}
      text={pair ? words.editText : words.createText}
      submit={pair ? commonWords.save : commonWords.create}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate()}
    >
      <TextField
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        problem={problems['/display_name']}
      />
      <RolesField
        assignee="api-key-pair"
        chosen={roles}
        onChange={setRoles}
        problem={problems['/role_ids'] ?? problems['/role_ids/0']}
      />
      <AccountsField chosen={accounts} onChange={setAccounts} problem={problems['/merchant_account_ids']} />
      {accounts.length !== 1 && (
        <CheckField
          label={words.accountRequired}
          hint={words.accountRequiredHint}
          checked={isAccountRequired}
          onChange={setAccountRequired}
        />
      )}
      {!pair && (
        <>
          <SelectField
            label={words.algorithm}
            value={algorithm}
            onChange={setAlgorithm}
            options={[
              ['ECDSA', words.ecdsa],
              ['RSA', words.rsa],
            ]}
          />
          <TextArea
            label={words.publicKey}
            optional
            hint={words.publicKeyHint}
            value={publicKey}
            onChange={setPublicKey}
            problem={problems['/public_key']}
            className="font-mono"
            spellCheck={false}
          />
        </>
      )}
    </FormDialog>
  )
}
