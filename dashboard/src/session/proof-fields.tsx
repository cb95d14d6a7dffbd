import type { FreshProof, User } from '@railyard/client'
import type { ReactNode } from 'react'
import { problemsOf } from '../api/client.ts'
import { TextField } from '../parts/forms/field.tsx'
import { profileWords } from '../words/settings/profile.ts'

const words = profileWords.passkeys

/** The password, and a code of a person with an authenticator app. */
export function ProofFields({
  me: { totp_enabled },
  value: { password, code = '' },
  onChange,
  error,
}: {
  me: User
  value: FreshProof
  onChange: (value: FreshProof) => void
  error: unknown
}): ReactNode {
  const problems = problemsOf(error)
  return (
    <>
      <TextField
        label={words.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(next) => onChange({ password: next, ...(totp_enabled && { code }) })}
        problem={problems['/password']}
      />
      {totp_enabled && (
        <TextField
          label={words.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(next) => onChange({ password, code: next.trim() })}
          problem={problems['/code']}
        />
      )}
    </>
  )
}
