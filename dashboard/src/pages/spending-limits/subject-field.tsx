import type { ReactNode } from 'react'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import { SelectField } from '../../parts/forms/field.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { approvalWords } from '../../words/approvals/approvals.ts'
import { spendingLimitWords as words } from '../../words/approvals/spending-limits.ts'
import type { Subject } from './limit-form.tsx'

/** A choice of the key pairs and the other people that may act on the merchant account. */
export function SubjectField({
  value,
  onChange,
  problem,
}: {
  value: Subject | undefined
  onChange: (subject: Subject | undefined) => void
  problem: string | undefined
}): ReactNode {
  const { account, session } = useSignedIn()
  const pairs = useLoad(
    ['api-key-pairs', 'all'],
    (api, signal) => every(api.apiKeyPairs.list({ limit: 100 }, { signal })),
    { enabled: useMay('api-key-pairs.read') },
  )
  const people = useLoad(
    ['users', 'all'],
    (api, signal) => every(api.users.list({ limit: 100 }, { signal })),
    { enabled: useMay('users.read') },
  )
  const isHere = (accountIds: readonly string[]) => accountIds.length === 0 || accountIds.includes(account)
  const options = [
    ...(pairs.data ?? [])
      .filter(({ merchant_accounts }) => isHere(merchant_accounts.map(({ id }) => id)))
      .map(({ id, display_name }) => [`api-key-pair ${id}`, approvalWords.keyPair(display_name)] as const),
    ...(people.data ?? [])
      .filter(({ id, merchant_account_ids }) => isHere(merchant_account_ids) && id !== session.user.id)
      .map(({ id, name }) => [`user ${id}`, name] as const),
  ]
  return (
    <SelectField
      label={words.subject}
      hint={words.subjectHint}
      options={[['', words.choose], ...options]}
      value={value ? `${value.type} ${value.id}` : ''}
      onChange={(next) => {
        const [type, id] = next.split(' ')
        onChange(id ? { type: type as Subject['type'], id } : undefined)
      }}
      problem={problem}
    />
  )
}
