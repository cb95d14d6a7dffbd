import type { Role } from '@railyard/client'
import type { ReactNode } from 'react'
import { every } from '../../api/every.ts'
import { useLoad } from '../../api/use-api.ts'
import { CheckList } from '../../parts/forms/check-list.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { grantWords as words } from '../../words/settings/grants.ts'

interface Chosen {
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  problem?: string | undefined
}

/** The roles that a person or a key pair can have, with what each opens. */
export function RolesField({
  assignee,
  ...field
}: Chosen & { assignee: 'user' | 'api-key-pair' }): ReactNode {
  const query = useLoad(['roles'], (api, signal) => every(api.roles.list({ limit: 100 }, { signal })))
  return (
    <Loaded query={query}>
      {(roles) => (
        <CheckList
          {...field}
          label={words.roles}
          hint={words.rolesHint}
          choices={roles
            .filter(({ assignable_to }) => assignable_to.includes(assignee))
            .map((role) => ({ value: role.id, text: role.name, hint: <RoleHint role={role} all={roles} /> }))}
        />
      )}
    </Loaded>
  )
}

function RoleHint({ role, all }: { role: Role; all: readonly Role[] }): ReactNode {
  const beside = role.applies_to.map((slug) => all.find((each) => each.slug === slug)?.name ?? slug)
  return (
    <>
      {role.description}. {beside.length > 0 && words.addOn(beside.join(', '))}
      <Opens scopes={role.permissions.allow} />
    </>
  )
}

/** The scopes of a role, behind a click. */
export const Opens = ({ scopes }: { scopes: readonly string[] }): ReactNode => (
  <details>
    <summary className="cursor-pointer underline">{words.opens}</summary>
    <ul className="mt-1 columns-2 font-mono text-xs break-all">
      {scopes.map((scope) => (
        <li key={scope}>{scope}</li>
      ))}
    </ul>
  </details>
)

/** The merchant accounts that a person or a key pair is limited to. */
export function AccountsField(field: Chosen): ReactNode {
  const { accounts } = useSignedIn()
  return (
    <CheckList
      {...field}
      label={words.accounts}
      hint={words.accountsHint}
      choices={accounts.map(({ id, display_name }) => ({ value: id, text: display_name, hint: id }))}
    />
  )
}
